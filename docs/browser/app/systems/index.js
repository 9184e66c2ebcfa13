// The systems that a page can show, by their names in Python.

import { ball_on_table } from "./ball_on_table.js";
import { belt_oscillator } from "./belt_oscillator.js";
import { woodpecker } from "./woodpecker.js";

export const systems = { woodpecker, ball_on_table, belt_oscillator };

// Points of outlines, [x, y] in m.

export const moved = (points, x, y) => points.map((point) => [point[0] + x, point[1] + y]);

export const slightlyTurned = (points, angle) =>
  points.map(([x, y]) => [x - angle * y, y + angle * x]);

/** Return a rectangle with the origin at the midpoint of its lower side. */
export function block(width, height) {
  const x = 0.5 * width;
  return [[-x, 0], [x, 0], [x, height], [-x, height]];
}

export const disc = (radius) =>
  Array.from({ length: 72 }, (_, i) => {
    const angle = (2 * Math.PI * i) / 72;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });

"""Systems and runs drawn: outlines (`scene`, `solids`), one instant, a film, curves over time.

Whoever draws asks for the protocols of `subjects`: this room knows neither systems nor solutions.
"""

"""The post-flop engine: two ranges on a board, solved exactly.

`spot` says what is solved, `betting_forest` and `boards` turn it into arrays, and `solver` runs the
iterations. `layout` decides where its tables are in memory; `memory` counts them beforehand,
`tiltless.kernels.postflop.street` addresses them, and `device` uses the same on a GPU. `solution`,
`node`, `report` and `tables` read what was solved.
"""

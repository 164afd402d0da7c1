"""Commands to look things up and to solve: hands, ranges, games, menus, trees, spots."""

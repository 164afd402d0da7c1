"""Other programs' tables: our agents sit at theirs, their players at ours."""

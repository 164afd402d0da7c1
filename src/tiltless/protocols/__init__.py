"""Protocol adapters: our agents at other programs' tables, and their players at ours."""

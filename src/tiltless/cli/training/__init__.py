"""Commands to train blueprints and to inspect them."""

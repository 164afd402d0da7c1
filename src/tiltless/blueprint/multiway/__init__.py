"""Blueprints for three to six seats: betting shared by blocks, vector sampling."""

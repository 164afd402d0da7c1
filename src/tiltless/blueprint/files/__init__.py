"""Blueprints on disk: files, compact tables, model cards and exports."""

"""What all benches share: timing, a busy core beside them, and texts."""

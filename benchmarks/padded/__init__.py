"""What the primitives of ``knee.padded`` gain, against themselves packed, the standard library, and peers."""

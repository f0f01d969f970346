"""From a stored run to its report: pure functions of what the store holds; views print what comes out."""

__attribute__((visibility("default"))) int knee_abi(void) { return 1; }

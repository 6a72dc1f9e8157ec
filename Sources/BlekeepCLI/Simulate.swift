import ArgumentParser

struct Simulate: ParsableCommand { func run() {} }

/// The suites of this folder: `swift test --filter Readings`.
enum Readings {}

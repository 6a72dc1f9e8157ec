import ArgumentParser
import BlekeepOutputs

/// The options for the format of readings, the same for each command that prints them.
struct FormatOptions: ParsableArguments {
    @Option(help: "The format to print.")
    var output: LineFormat?

    @Flag(help: "Print comma-separated values with a header, as --output csv does.")
    var csv = false

    @Flag(help: "Print Influx line protocol, as --output influx does.")
    var influx = false

    @Flag(help: "Print only the values, in the units of their layouts, as --output value does.")
    var value = false

    /// Returns the chosen format; `nil` without one.
    ///
    /// - Parameter json: whether `--json` is given.
    /// - Throws: `ValidationError` for two formats.
    func chosen(json: Bool) throws -> LineFormat? {
        let flags: [(isGiven: Bool, format: LineFormat)] = [
            (json, .json), (csv, .csv), (influx, .influx), (value, .value),
        ]
        let given = flags.filter(\.isGiven).map(\.format)
        let all = Set(given + [output].compactMap(\.self))
        guard all.count > 1 else { return all.first }
        let names = (output.map { ["--output \($0.rawValue)"] } ?? []) + given.map { "--\($0.rawValue)" }
        throw ValidationError("\(names.joined(separator: " and ")) exclude each other")
    }
}

extension OptionsCommand where Self: FormattedCommand {
    /// The format of readings that the options choose; `human` without one.
    var format: LineFormat { (try? formats.chosen(json: options.json)) ?? .human }
}

/// A command that prints readings in a format of the user's choice.
protocol FormattedCommand {
    var formats: FormatOptions { get }
}

import ArgumentParser
import BlekeepOutputs

/// The options for the format of readings, the same for each command that prints them.
struct FormatOptions: ParsableArguments {
    @Flag(help: "Print comma-separated values with a header.")
    var csv = false

    @Flag(help: "Print Influx line protocol.")
    var influx = false

    @Flag(help: "Print only the values, in the units of their layouts.")
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
        guard given.count > 1 else { return given.first }
        throw ValidationError("\(given.map { "--\($0.rawValue)" }.joined(separator: " and ")) exclude each other")
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

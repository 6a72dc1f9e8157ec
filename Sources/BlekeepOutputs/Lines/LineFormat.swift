/// The formats that readings can be written in, by the names that the command line uses.
package enum LineFormat: String, Sendable, CaseIterable {
    /// Text for a terminal: `HumanLineWriter`.
    case human
    /// One object a line: `JSONLineWriter`.
    case json
    /// RFC 4180: `CSVLineWriter`.
    case csv
    /// Influx line protocol: `InfluxLineWriter`.
    case influx
    /// Only the values: `ValueLineWriter`.
    case value
}

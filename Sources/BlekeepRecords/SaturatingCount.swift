/// Addition without overflow, because a file may contain any number.
extension Int64 {
    package var next: Int64 { adding(1) }

    package mutating func add(_ more: Int64) { self = adding(more) }

    package func adding(_ more: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(more)
        return overflow ? .max : sum
    }
}

/// Counts that stay at the greatest number: what was kept in a file may be any number.
extension Int64 {
    var next: Int64 { adding(1) }

    mutating func add(_ more: Int64) { self = adding(more) }

    func adding(_ more: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(more)
        return overflow ? .max : sum
    }
}

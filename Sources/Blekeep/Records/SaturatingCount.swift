/// Addition without overflow, because a file may contain any number.
extension Int64 {
    var next: Int64 { adding(1) }

    mutating func add(_ more: Int64) { self = adding(more) }

    func adding(_ more: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(more)
        return overflow ? .max : sum
    }
}

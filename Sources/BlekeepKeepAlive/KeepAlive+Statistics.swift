extension KeepAlive.Statistics {
    mutating func count(_ outcome: TickOutcome) {
        switch outcome {
        case .newData: newData += 1
        case .noData: noData += 1
        case .failed: failed += 1
        }
    }
}

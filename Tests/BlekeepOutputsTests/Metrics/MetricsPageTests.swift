import Testing

@testable import BlekeepOutputs

/// Prometheus's text format.
@Suite struct MetricsPageTests {
    private func text(_ families: [MetricFamily]) -> String {
        String(decoding: MetricsPage(families).bytes, as: UTF8.self)
    }

    @Test func sortsFamiliesAndSamples() {
        var gauge = MetricFamily("b", .gauge, help: "Second.")
        gauge.set(2.5, labels: ["x": "2"])
        gauge.set(-1, labels: ["x": "1"])
        var counter = MetricFamily("a_total", .counter, help: "First.")
        counter.set(7)
        #expect(
            text([gauge, counter]) == """
                # HELP a_total First.
                # TYPE a_total counter
                a_total 7
                # HELP b Second.
                # TYPE b gauge
                b{x="1"} -1
                b{x="2"} 2.5

                """)
    }

    @Test func escapesLabelsAndHelp() {
        var family = MetricFamily("a", .gauge, help: "A \\ and a \"\n.")
        family.set(1, labels: ["x": "\\ \" \n é"])
        #expect(
            text([family]) == #"""
                # HELP a A \\ and a "\n.
                # TYPE a gauge
                a{x="\\ \" \n é"} 1

                """#)
    }

    @Test func leavesOutWhatIsNotANumber() {
        var family = MetricFamily("a", .gauge, help: "x")
        for value in [nil, Double.nan, .infinity, -.infinity] { family.set(value) }
        #expect(text([family]) == "")
    }

    @Test func keepsTheNewestSampleOfTheSameLabels() {
        var family = MetricFamily("a", .gauge, help: "x")
        family.set(1, labels: ["x": "y"])
        family.set(1e300, labels: ["x": "y"])
        #expect(text([family]).hasSuffix("gauge\na{x=\"y\"} 1e+300\n"))
    }
}

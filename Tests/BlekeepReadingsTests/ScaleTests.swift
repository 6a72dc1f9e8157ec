import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct ScaleTests {
        @Test func keepsIntegersThatOnlyGrow() {
            #expect(Scale().value(of: .min) == .integer(.min))
            #expect(Scale(multiplier: 15).value(of: -48) == .integer(-720))
            #expect(Scale(decimal: 3).value(of: 0xFFFFFF) == .integer(16_777_215_000))
            #expect(Scale(decimal: 3).value(of: .max) == .text("9223372036854775807000"))
        }

        @Test func roundsOnce() {
            #expect(Scale(multiplier: 5, decimal: -3).value(of: 14_531) == .number(72.655))
            #expect(Scale(decimal: -7).value(of: 525_162_748) == .number(52.516_274_8))
            #expect(Scale(binary: -10).value(of: -1) == .number(-0.0009765625))
        }
    }
}

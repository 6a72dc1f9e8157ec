import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct ExactDecimalTests {
        @Test func isTheNearestDouble() {
            #expect(ExactDecimal(2499, exponent: -2).nearest == 24.99)
            #expect(ExactDecimal(-1, exponent: -2).nearest == -0.01)
            #expect(ExactDecimal(.max, exponent: -1).nearest == 922_337_203_685_477_580.7)
            #expect(ExactDecimal(.min, exponent: 0).nearest == -0x1p63)
            #expect(ExactDecimal(7, exponent: 22).nearest == 7e22)
            #expect(ExactDecimal(7, exponent: 23).nearest == 7e23)
            #expect(ExactDecimal(0, exponent: -300).nearest == 0)
        }

        @Test func printsAsWritten() {
            let wrong = (-32768...32767).filter { raw in
                let text = "\(raw < 0 ? "-" : "")\(abs(raw) / 100).\(abs(raw) % 100 / 10)\(abs(raw) % 10)"
                return ExactDecimal(Int64(raw), exponent: -2).nearest != Double(text)
            }
            #expect(wrong == [])
        }

        @Test func staysAnIntegerWithinItsLimit() {
            #expect(ExactDecimal(-15, exponent: 3).integer(within: 15000) == .integer(-15000))
            #expect(ExactDecimal(-15, exponent: 3).integer(within: 14999) == .text("-15000"))
            let large = "1" + String(repeating: "0", count: 40)
            #expect(ExactDecimal(1, exponent: 40).integer(within: .max) == .text(large))
        }
    }
}

import Testing

@testable import BlekeepReadings

extension Readings {
    @Suite struct RealFormatTests {
        /// By decimal text, which the standard library reads exactly.
        private func expected(medfloat16 bits: Int) -> FieldValue {
            switch bits {
            case 0x07FF: return .state("nan")
            case 0x0800: return .state("nres")
            case 0x07FE: return .state("pos_inf")
            case 0x0802: return .state("neg_inf")
            case 0x0801: return .state("reserved")
            default: break
            }
            let mantissa = bits % 4096 < 2048 ? bits % 4096 : bits % 4096 - 4096
            let exponent = bits / 4096 < 8 ? bits / 4096 : bits / 4096 - 16
            return Double("\(mantissa)e\(exponent)").map { .value(.number($0)) } ?? .state("no expectation")
        }

        @Test func readsAllMedicalFloatsOf16Bits() {
            let wrong = (0...0xFFFF).filter { bits in
                RealFormat.medfloat16.value(of: UInt64(bits)) != expected(medfloat16: bits)
            }
            #expect(wrong == [])
            #expect(RealFormat.medfloat16.value(of: 0x17FF) == .value(.number(20470)))
        }

        private static let medicalFloatsOf32Bits: [(UInt64, FieldValue)] = [
            (0xFF00_016D, .value(.number(36.5))),
            (0x007F_FFFF, .state("nan")), (0x0080_0000, .state("nres")), (0x007F_FFFE, .state("pos_inf")),
            (0x0080_0002, .state("neg_inf")), (0x0080_0001, .state("reserved")),
            (0x017F_FFFF, .value(.number(83_886_070))), (0x7F00_0001, .value(.number(1e127))),
            (0x80FF_FFFF, .value(.number(-1e-128))),
        ]

        @Test(arguments: medicalFloatsOf32Bits)
        func readsMedicalFloatsOf32Bits(bits: UInt64, value: FieldValue) {
            #expect(RealFormat.medfloat32.value(of: bits) == value)
        }

        @Test func scalesMedicalFloatsExactly() {
            // 16.1 kPa as Pa.
            let value = RealFormat.medfloat16.value(of: 0xF0A1, scale: Scale(decimal: 3))
            #expect(value == .value(.number(16100)))
        }

        @Test func makesStatesOfWhatIsNoNumber() {
            #expect(RealFormat.float32.value(of: 0x7FC0_0000) == .state("nan"))
            #expect(RealFormat.float32.value(of: 0xFF80_0000) == .state("neg_inf"))
            #expect(RealFormat.float64.value(of: 0x7FF0_0000_0000_0000) == .state("pos_inf"))
            #expect(RealFormat.float64.value(of: 0x400A_6666_6666_6666) == .value(.number(3.3)))
        }
    }
}

import Blekeep
import Glibc
import RunLoop

/// Feeds each decoder this many random inputs, in the optimized build: `blekeep-bench --fuzz 1000000`.
/// It ends, or it has found a trap.
enum DecodingFuzz {
    static func run(_ rounds: Int) {
        var random = SplitMix64(seed: 1)
        var decoders = 0
        var decoded = 0
        func feed(_ decode: ([UInt8]) -> Bool) {
            decoders += 1
            var bytes: [UInt8] = []
            for _ in 0..<rounds {
                bytes.removeAll(keepingCapacity: true)
                let bits = random.next()
                let length = bits & 7 == 0 ? bits >> 3 & 63 : bits >> 3 & 15
                for _ in 0..<length { bytes.append(UInt8(truncatingIfNeeded: random.next() >> 11)) }
                if decode(bytes) { decoded += 1 }
            }
        }
        for number in UInt16(0x2A00)...0x2CFF {
            guard let decoder = LayoutDecoder(BluetoothUUID(number)) else { continue }
            feed { (try? decoder.decode($0)) != nil }
        }
        for code in UInt8(1)...28 {
            guard let format = try? PresentationFormat([code, 0xFE, 0x2F, 0x27, 1, 0, 0]) else { continue }
            feed { (try? format.decode($0)) != nil }
        }
        let key = AdvertisementKey([UInt8](repeating: 7, count: 16))
        guard let address = BluetoothAddress("F0:00:00:00:00:01") else { return }
        feed { (try? BTHome([0x40] + $0, from: address)) != nil }
        feed { (try? BTHome([0x41] + $0, from: address, key: key)) != nil }
        for format: UInt8 in [3, 5, 6] { feed { (try? Ruuvi([format] + $0)) != nil } }
        for frame: UInt8 in [0, 0x10, 0x20, 0x30] { feed { (try? Eddystone([frame] + $0)) != nil } }
        feed { (try? IBeacon([0x02, 0x15] + $0)) != nil }
        print("decoders=\(decoders) inputs=\(decoders * rounds) decoded=\(decoded)")
    }
}

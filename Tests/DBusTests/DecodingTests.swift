import BusBench
import DBus
import Glibc
import RunLoop
import Testing

/// Messages from a socket are decoded within limits, without traps.
struct DecodingTests {
    private func onEcho<Success: Sendable>(
        _ body: @escaping @Sendable (any Bus) async throws -> Success
    ) async throws -> Success {
        try await Bench.run(.daemon) { bench in
            let (service, client) = (try await EchoService.make(bench), try await bench.connect())
            defer { _ = service }
            return try await body(client)
        }
    }

    @Test func depthIsBounded() async throws {
        try await onEcho { client in
            for depth in [1, 8, 16] as [UInt32] {
                _ = try await client.echo.call(Echo.nest, depth, within: .patience)
            }
            for depth in [17, 40, 60] as [UInt32] {
                let error = await failure { () throws(BusError) in
                    _ = try await client.echo.call(Echo.nest, depth, within: .patience)
                }
                #expect(error == .malformed("nested too deeply"))
            }
            // As an argument, too deep a value is refused by the callee.
            let deep = (0..<30).reduce(Value.byte(0)) { value, _ in .variant(value) }
            let refused = await failure { () throws(BusError) in
                _ = try await client.echo.call(Echo.echo, Variant(content: deep), within: .patience)
            }
            #expect(refused?.name == "org.freedesktop.DBus.Error.LimitsExceeded")
        }
    }

    @Test func sizeIsBounded() async throws {
        try await onEcho { client in
            let full = try await client.echo.call(Echo.pad, 1_000_000, within: .patience)
            #expect(full.count == 1_000_000)
            let error = await failure { () throws(BusError) in
                _ = try await client.echo.call(Echo.pad, 2_000_000, within: .patience)
            }
            #expect(error == .malformed("too large"))
            let options = MethodCall.Options(largestReply: 3_000_000)
            let large = try await client.echo.call(Echo.pad, 2_000_000, within: .patience, options: options)
            #expect(large.count == 2_000_000)
        }
    }

    @Test func aMessageBeyondTheConnectionsLimitEndsItCleanly() async throws {
        let error = try await onEcho { client in
            await failure { () throws(BusError) in
                _ = try await client.echo.call(Echo.pad, 33 << 20, within: .patience)
            }
        }
        // A bus that takes 32 MiB disconnects a client that sends 33 MiB.
        #expect(error == .disconnected || error?.name == "org.freedesktop.DBus.Error.NoReply")
    }

    @Test func descriptorsArePassed() async throws {
        try await onEcho { client in
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            let (reading, writing) = (FileHandle(owning: ends[0]), FileHandle(owning: ends[1]))
            let echoed = try await client.echo.call(Echo.echo, Variant(writing), within: .patience)
            let copy = try #require(FileHandle(echoed.content))
            #expect(copy.descriptor != writing.descriptor)
            #expect(write(copy.descriptor, "hello", 5) == 5)
            var bytes = [UInt8](repeating: 0, count: 8)
            #expect(read(reading.descriptor, &bytes, 8) == 5)
            #expect(String(decoding: bytes.prefix(5), as: UTF8.self) == "hello")
        }
    }

    @Test func randomValuesSurvive() async throws {
        try await onEcho { client in
            var generator = SplitMix64(seed: 42)
            for _ in 0..<200 {
                let value = Value.random(depth: 4, using: &generator)
                let echoed = try await client.echo.call(Echo.echo, Variant(content: value), within: .patience)
                #expect(echoed.content == value)
            }
        }
    }
}

extension Value {
    static func random(depth: Int, using generator: inout some RandomNumberGenerator) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 13 : 9), using: &generator) {
        case 0: .byte(.random(in: .min ... .max, using: &generator))
        case 1: .boolean(.random(using: &generator))
        case 2: .int16(.random(in: .min ... .max, using: &generator))
        case 3: .uint32(.random(in: .min ... .max, using: &generator))
        case 4: .int64(.random(in: .min ... .max, using: &generator))
        case 5: .double(Double.random(in: -1e300...1e300, using: &generator))
        case 6: .string(String((0..<5).compactMap { _ in "aä€😀\n".randomElement(using: &generator) }))
        case 7: .bytes((0..<Int.random(in: 0...9, using: &generator)).map { UInt8($0 * 25) })
        case 8: .path("/a/b")
        case 9: .variant(random(depth: depth - 1, using: &generator))
        case 10: .structure((0...2).map { _ in random(depth: depth - 1, using: &generator) })
        case 11:
            .array("v", (0...2).map { _ in .variant(random(depth: depth - 1, using: &generator)) })
        default:
            .dictionary(
                key: "s", value: "v",
                (0...2).map { Entry(.string("\($0)"), .variant(random(depth: depth - 1, using: &generator))) })
        }
    }
}

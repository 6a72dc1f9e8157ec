import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import DBus
import Glibc

struct Doctor: ContextCommand, BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check everything that blekeep needs, and suggest repairs.",
        discussion: """
            Exits with 0 when all checks pass, 3 for the bus or BlueZ, 4 for the adapter, 78 for the configuration, or 1.

            Examples:
              blekeep doctor
              blekeep doctor --report report.txt    without addresses and secrets
            """)

    @Option(help: ArgumentHelp("Also write a report to this new file.", valueName: "file"), completion: .file())
    var report: String?

    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func run(in context: CommandContext) async throws {
        var findings = await reach(context)
        findings += MachineChecks(historyPath: historyPath(context)).run()
        findings.append(configurationFinding(context))
        findings += noticesFinding(context).map { [$0] } ?? []
        findings += keyFindings(context)
        findings += ServiceFiles.unreadable(context.optionalConfiguration?.namedFiles ?? []).map { sentence in
            let parts = sentence.split(separator: "; ").map(String.init)
            return .fail("service", text: parts[0], advice: parts.last ?? "", code: .badConfiguration)
        }
        findings += await sinkFindings(context)
        for finding in findings {
            let line = finding.line(on: context.terminal, isDetailed: options.process.verbose > 0)
            try context.output.line(options.json ? finding.json.text : line)
        }
        if let report { try NewFile.write(text(findings, in: context), to: report, failure: .allFailed) }
        guard let worst = findings.first(where: { $0.state == .fail }) else { return }
        throw Failure(worst.code, "")
    }

    private func reach(_ context: CommandContext) async -> [Finding] {
        do throws(BusError) {
            let bus = try await context.bus()
            defer { bus.close() }
            let choice = options.adapter ?? context.optionalConfiguration?.poll.adapter
            let devices = context.optionalConfiguration?.poll.devices.filter(\.isPolled) ?? []
            return [.ok("bus", text: "the message bus answers")]
                + (await BusChecks(bus: bus, choice: choice, devices: devices).run())
        } catch {
            let advice =
                if case .forbidden = error {
                    "run as another user, or give this one the right to use the socket and its folders (0666 and 0755 "
                        + "are usual); a sandbox or a container may also forbid it"
                } else { "install dbus and start it; in a container, mount /run/dbus" }
            return [.fail("bus", text: Untrusted("\(error)", limit: 300).description, advice: advice, code: .noBluez)]
        }
    }

    private func historyPath(_ context: CommandContext) -> String? {
        context.optionalConfiguration?.history.path ?? HistoryPath.default(environment: context.environment)
    }

    private func sinkFindings(_ context: CommandContext) async -> [Finding] {
        guard let configuration = context.optionalConfiguration else { return [] }
        return await ConfiguredSinks.findings(configuration, on: context.loop, environment: context.environment)
    }

    /// The keys of devices, and those that didn't fit at last. `sinkFindings` tries the passwords and certificates.
    private func keyFindings(_ context: CommandContext) -> [Finding] {
        let keys = (context.optionalConfiguration?.namedFiles ?? []).filter { $0.kind == .key }
        let credentials = Credentials(environment: context.environment)
        let problems = keys.compactMap { key in key.problem(credentials).map { Finding(of: key, $0) } }
        guard problems.isEmpty, !keys.isEmpty else { return problems }
        let run = historyPath(context).flatMap { try? HistoryReader(path: $0).lastRun() }
        let misfits = (run?.devices ?? []).compactMap { device -> Finding? in
            guard let failure = device.failure, failure.code == .known(.badKey) else { return nil }
            let advice = Advice.sentence(
                failure, remedy: nil, of: DeviceNames.argument(device.name, at: device.address))
            return .warn("key", text: Untrusted.whole("\(device.name): \(failure)"), advice: Untrusted.whole(advice))
        }
        guard misfits.isEmpty else { return misfits }
        return [
            .ok(
                "key",
                text: keys.count == 1
                    ? "the key of a device can be read" : "the keys of \(keys.count) devices can be read")
        ]
    }

    private func noticesFinding(_ context: CommandContext) -> Finding? {
        guard context.optionalConfiguration?.notices.isEmpty == false, let path = historyPath(context),
            let isRunning = NoticeFile(history: path).isLocked
        else { return nil }
        if let obstacle = context.optionalConfiguration?.notices.lazy.compactMap(\.obstacle).first {
            return .warn("notices", text: obstacle, advice: "check `run` of the notice, and 'chmod +x' the program")
        }
        return isRunning
            ? .ok("notices", text: "'blekeep notices' runs")
            : .warn(
                "notices", text: "'blekeep notices' isn't running, so no notice is given",
                advice: "'systemctl enable --now blekeep-notices', or run it yourself")
    }

    private func configurationFinding(_ context: CommandContext) -> Finding {
        do throws(Failure) {
            let loaded = try Composition.loadConfiguration(options, environment: context.environment)
            guard let loaded else {
                return .warn(
                    "configuration", text: "there is no configuration",
                    advice: "'blekeep scan' finds devices to add")
            }
            let count = loaded.configuration.poll.devices.count
            guard count > 0 || loaded.configuration.sinks.postgres?.givesConfiguration == true else {
                return .warn(
                    "configuration", text: "it names no devices", advice: "'blekeep scan' finds devices to add")
            }
            return .ok("configuration", text: "good, \(count) \(count == 1 ? "device" : "devices")")
        } catch {
            return .fail(
                "configuration", text: "it has mistakes", advice: "'blekeep config check' lists them",
                code: .badConfiguration)
        }
    }

    // MARK: The report

    private func text(_ findings: [Finding], in context: CommandContext) -> String {
        var lines = ["blekeep \(Version.ofBuild)", Self.system, ""]
        lines += findings.map { $0.line(on: .none, isDetailed: true) }
        lines += ["", "configuration in force:"]
        do throws(Failure) {
            lines += try ConfigurationView(options, environment: context.environment).lines
        } catch { lines.append(error.message) }
        return Mask.masked(lines.joined(separator: "\n")) + "\n"
    }

    private static var system: String {
        var name = utsname()
        uname(&name)
        func text<Field>(_ field: Field) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return "\(text(name.sysname)) \(text(name.release)) \(text(name.machine))"
    }
}

extension Finding {
    /// An error's sentence names what to do after a semicolon. Another process may read what this one can't.
    fileprivate init(of key: NamedFile, _ error: CredentialError) {
        let parts = error.description.split(separator: "; ", maxSplits: 1).map(String.init)
        let advice = parts.count == 2 ? parts[1] : "change `key` in the configuration"
        let text = "\(key.place): \(parts[0])"
        self =
            error.isOnlyHere
            ? .warn("key", text: text, advice: advice)
            : .fail("key", text: text, advice: advice, code: .badConfiguration)
    }
}

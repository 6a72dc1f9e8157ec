// swift-tools-version: 6.2
import PackageDescription

/// Warnings are errors in CI, and not for users of the library: a newer compiler may have new warnings.
let isStrict = Context.environment["WARNINGS_AS_ERRORS"] != nil
let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
    ] + (isStrict ? [.treatAllWarnings(as: .error)] : [])

/// For what is not public: whoever calls it is on the loop already, and it stays there.
let inner = strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// Whether programs are for a package, and leave out ICU's data: see `.packaging/no-icu-data`.
let isForPackage = Context.environment["WITHOUT_ICU_DATA"] != nil
let noData: [Target.Dependency] = isForPackage ? ["NoICUData"] : []
let noDataLinks: [LinkerSetting] =
    isForPackage ? [.unsafeFlags([74, 76].flatMap { ["-Xlinker", "--wrap=icudt\($0)_dat"] })] : []

let commit = Context.environment["COMMIT"]

let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

/// What only programs and tests need. A package that uses the library without the trait `Programs` resolves none of it.
func ofPrograms(_ name: String, in package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Programs"]))
}
let argumentParser = ofPrograms("ArgumentParser", in: "swift-argument-parser")
let grdb = ofPrograms("GRDB", in: "GRDB.swift")
let nio = ["NIOCore", "NIOHTTP1", "NIOPosix"].map { ofPrograms($0, in: "swift-nio") }
let sqlite = ofPrograms("GRDBSQLite", in: "GRDB.swift")
let subprocess = ofPrograms("Subprocess", in: "swift-subprocess")
let system = ofPrograms("SystemPackage", in: "swift-system")
let yams = ofPrograms("Yams", in: "Yams")

// Layers; a target imports targets of lower layers, and of its own layer those that it depends on.
let package = Package(
    name: "blekeep",
    products: [
        .library(name: "Blekeep", targets: ["Blekeep"]),
        .library(name: "BlekeepSimulation", targets: ["BlekeepSimulation"]),
        .executable(name: "blekeep", targets: ["BlekeepCLI"]),
        .executable(name: "blekeep-serve", targets: ["BlekeepServe"]),
    ],
    traits: [
        .default(enabledTraits: ["Programs"]),
        .trait(name: "Programs", description: "The programs and the tests, beside the libraries"),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // Layer 0: C, each header behind one door.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(
            name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev", "libssl-dev"])]),
        // The commit of a build for a package, as `.packaging/deb` says it: a build in a clone has changes that no commit has.
        .target(name: "CBuild", cSettings: commit.map { [.define("COMMIT", to: "\"\($0)\"")] }),
        // libcurl and libpq, which are loaded when a sink needs them.
        .target(name: "CLoaded"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "NoICUData", path: ".packaging/no-icu-data"),

        // Layer 1: one thread, and a message bus on it.
        .target(name: "RunLoop", dependencies: ["CLinux", collections], swiftSettings: inner),
        .target(name: "DBus", dependencies: ["CDBus", "RunLoop", collections], swiftSettings: inner),
        // Buses to try things on: in the process, in virtual time, or a dbus-daemon.
        .target(name: "BusBench", dependencies: ["DBus", "RunLoop"], swiftSettings: inner),

        // Layer 2: the library. What bytes mean, which knows neither D-Bus nor a clock; the client of BlueZ, which knows
        // no tick; the timer with power and sleep; readings and statuses on their way to stores and sinks; and the poller.
        // Each of these uses the ones before it. `import Blekeep` is all of them.
        .target(name: "BlekeepReadings", dependencies: ["CCrypto"], swiftSettings: strict),
        .target(
            name: "BlekeepBluetooth", dependencies: ["BlekeepReadings", "DBus", "RunLoop", collections],
            swiftSettings: strict),
        .target(
            name: "BlekeepKeepAlive",
            dependencies: ["BlekeepBluetooth", "BlekeepReadings", "CLinux", "DBus", "RunLoop", logging],
            swiftSettings: strict),
        .target(
            name: "BlekeepRecords",
            dependencies: ["BlekeepKeepAlive", "DBus", "RunLoop", logging],
            swiftSettings: strict),
        .target(
            name: "BlekeepPoller",
            dependencies: [
                "BlekeepBluetooth", "BlekeepReadings", "BlekeepRecords", "DBus", "RunLoop", collections, logging,
            ],
            swiftSettings: strict),
        .target(name: "Blekeep", dependencies: ["BlekeepPoller"], swiftSettings: strict),

        // Layer 3: where readings go, what a user configures, and a machine to try it on.
        .target(
            name: "BlekeepOutputs",
            dependencies: ["BlekeepRecords", "CLoaded", "CMosquitto", "CZlib", "RunLoop", collections],
            swiftSettings: strict),
        .target(
            name: "BlekeepPostgres", dependencies: ["BlekeepOutputs", "BlekeepRecords", "CLoaded", "RunLoop"],
            resources: [.embedInCode("Schema.sql")], swiftSettings: strict),
        .target(
            name: "BlekeepHistory", dependencies: ["BlekeepOutputs", "BlekeepRecords", "RunLoop", grdb],
            swiftSettings: strict),
        .target(
            name: "BlekeepConfiguration", dependencies: ["BlekeepOutputs", "BlekeepRecords", logging, yams],
            resources: [.embedInCode("Recipes/catalogue.yaml")], swiftSettings: strict),
        .target(
            name: "BlekeepLog", dependencies: ["BlekeepOutputs", "BlekeepRecords", "RunLoop", logging],
            swiftSettings: strict),
        .target(
            name: "BlekeepService", dependencies: ["BlekeepRecords", "DBus", "RunLoop", logging], swiftSettings: strict),
        .target(
            name: "BlekeepSimulation",
            dependencies: ["BlekeepReadings", "BlekeepRecords", "BusBench", "DBus", "RunLoop"],
            swiftSettings: inner),

        // Layer 4: the command, and the process that serves the history over HTTP, which alone links NIO.
        .executableTarget(
            name: "BlekeepCLI",
            dependencies: [
                "Blekeep", "BlekeepConfiguration", "BlekeepHistory", "BlekeepLog", "BlekeepOutputs", "BlekeepPostgres",
                "BlekeepReadings", "BlekeepService", "BlekeepSimulation", "BusBench", "CBuild", "CLinux", "DBus",
                "RunLoop", argumentParser, logging, subprocess, system, yams,
            ] + noData,
            swiftSettings: strict, linkerSettings: noDataLinks),

        .executableTarget(
            name: "BlekeepServe",
            dependencies: [
                "BlekeepConfiguration", "BlekeepHistory", "BlekeepLog", "BlekeepOutputs", "BlekeepPostgres",
                "BlekeepRecords", "RunLoop", logging,
            ] + nio + noData,
            resources: ["style.css", "blekeep.js", "plots.js", "taste.js", "worker.js"].map {
                .embedInCode("Pages/Assets/\($0)")
            },
            swiftSettings: strict, linkerSettings: noDataLinks),

        // The tests of each target of Sources, which import nothing above it; `TestTargetTests` checks that.
        .testTarget(name: "RunLoopTests", dependencies: ["RunLoop", subprocess], swiftSettings: strict),
        .testTarget(
            name: "DBusTests", dependencies: ["BusBench", "DBus", "RunLoop", subprocess], swiftSettings: strict),
        .testTarget(name: "BusBenchTests", dependencies: ["BusBench"], swiftSettings: strict),
        .testTarget(
            name: "BlekeepReadingsTests", dependencies: ["BlekeepReadings", "CCrypto", "RunLoop"],
            exclude: ["Fixtures"], swiftSettings: strict),
        .testTarget(
            name: "BlekeepBluetoothTests", dependencies: ["BlekeepBluetooth", "DBus"], swiftSettings: strict),
        .testTarget(
            name: "BlekeepKeepAliveTests", dependencies: ["BlekeepKeepAlive", "BusBench", "RunLoop", logging],
            swiftSettings: strict),
        .testTarget(
            name: "BlekeepRecordsTests", dependencies: ["BlekeepRecords", "RunLoop", logging], swiftSettings: strict),
        .testTarget(
            name: "BlekeepPollerTests",
            dependencies: [
                "BlekeepBluetooth", "BlekeepPoller", "BlekeepReadings", "BlekeepRecords", "DBus", "RunLoop",
            ], swiftSettings: strict),
        .testTarget(
            name: "BlekeepOutputsTests",
            dependencies: ["BlekeepRecords", "BlekeepOutputs", "BusBench", "RunLoop", "SampleReadings"],
            swiftSettings: strict),
        .testTarget(
            name: "BlekeepPostgresTests",
            dependencies: [
                "BlekeepHistory", "BlekeepOutputs", "BlekeepPostgres", "BlekeepRecords", "RunLoop", "SampleReadings",
                logging,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BlekeepHistoryTests",
            dependencies: [
                "Blekeep", "BlekeepRecords", "BlekeepHistory", "BlekeepOutputs", "BusBench", "HistoryTrials", "RunLoop",
                "SampleHouse", "SampleReadings", grdb,
            ],
            exclude: ["Fixtures"], swiftSettings: strict),
        .testTarget(
            name: "BlekeepConfigurationTests",
            dependencies: ["BlekeepConfiguration", "BlekeepOutputs", "BlekeepRecords", "BusBench", logging],
            exclude: ["Fixtures"], swiftSettings: strict),
        .testTarget(
            name: "BlekeepLogTests", dependencies: ["BlekeepLog", "BlekeepRecords", "RunLoop", logging],
            swiftSettings: strict),
        .testTarget(
            name: "BlekeepServiceTests",
            dependencies: ["BlekeepRecords", "BlekeepService", "BusBench", "DBus", "RunLoop", logging],
            swiftSettings: strict),
        .testTarget(
            name: "BlekeepSimulationTests",
            dependencies: ["BlekeepRecords", "BlekeepSimulation", "BusBench", "DBus", "RunLoop", subprocess],
            exclude: ["read-with-bleak.py"], swiftSettings: strict),
        .testTarget(
            name: "BlekeepServeTests",
            dependencies: [
                "BlekeepServe", "BlekeepRecords", "BlekeepConfiguration", "BlekeepHistory", "BlekeepOutputs",
                "BusBench", "RunLoop", "SampleHouse", "SampleReadings", grdb, logging,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BlekeepCLITests",
            dependencies: [
                "BlekeepCLI", "Blekeep", "BlekeepConfiguration", "BlekeepHistory", "BlekeepLog", "BlekeepOutputs",
                "BlekeepReadings", "BlekeepSimulation", "BusBench", "DBus", "RunLoop", "SampleReadings", argumentParser,
                logging, yams,
            ],
            exclude: ["Snapshots"], swiftSettings: strict),

        // Integration: the library's and the simulation's interface tables with `dbus` and the real services, and what models
        // of servers do with the servers.
        .testTarget(
            name: "ContractTests",
            dependencies: [
                "Blekeep", "BlekeepBluetooth", "BlekeepCLI", "BlekeepHistory", "BlekeepOutputs", "BlekeepPoller",
                "BlekeepPostgres", "BlekeepRecords", "BlekeepServe", "BlekeepService", "BlekeepSimulation", "BusBench",
                "DBus", "RunLoop", "SampleReadings", "Swarming", grdb,
            ],
            path: "Tests/Integration/ContractTests", exclude: ["Fixtures"], swiftSettings: strict),
        // Integration: the poller and the history, with the simulated machine.
        .testTarget(
            name: "PollerInSimulationTests",
            dependencies: [
                "Blekeep", "BlekeepBluetooth", "BlekeepConfiguration", "BlekeepHistory", "BlekeepOutputs",
                "BlekeepPoller", "BlekeepSimulation", "BusBench", "DBus", "HistoryTrials", "RunLoop", "Swarming",
                logging, sqlite, subprocess,
            ],
            path: "Tests/Integration/PollerInSimulationTests", swiftSettings: strict),

        // `swift run -c release blekeep-bench`: see Tests/Tools/Benchmark/README.md.
        .executableTarget(
            name: "blekeep-bench", dependencies: ["Blekeep", "BlekeepHistory", "BlekeepOutputs", "DBus", "RunLoop"],
            path: "Tests/Tools/Benchmark",
            exclude: ["README.md", "compare", "decoding", "whole"], swiftSettings: strict),

        // A program that imports the library, as its users write them, and all examples of the documentation.
        .executableTarget(
            name: "blekeep-sample", dependencies: ["Blekeep", "BlekeepSimulation"], path: "Tests/Tools/Sample",
            packageAccess: false, swiftSettings: strict),

        // `swift run blekeep-decode adverts`: decodes lines of JSON; see Tests/Tools/Advertisements/README.md.
        .executableTarget(
            name: "blekeep-decode", dependencies: ["Blekeep", "BlekeepOutputs"],
            path: "Tests/Tools/Advertisements/Decode", swiftSettings: strict),

        // `swift run blekeep-fuzz`: hostile input for all that takes any; see Tests/Tools/Fuzz/README.md.
        .target(
            name: "Fuzzing",
            dependencies: [
                "Blekeep", "BlekeepBluetooth", "BlekeepHistory", "BlekeepKeepAlive", "BlekeepOutputs", "BlekeepPoller",
                "BlekeepReadings", "BlekeepRecords", "BlekeepSimulation", "BusBench", "DBus", "RunLoop", grdb, logging,
            ],
            path: "Tests/Tools/Fuzz/Subjects", swiftSettings: strict),
        .executableTarget(
            name: "blekeep-fuzz", dependencies: ["Fuzzing"], path: "Tests/Tools/Fuzz/Command", swiftSettings: strict),
        .testTarget(
            name: "FuzzingTests",
            dependencies: [
                "Fuzzing", "Blekeep", "BlekeepCLI", "BlekeepConfiguration", "BlekeepHistory", "BlekeepOutputs", "DBus",
                "blekeep-decode",
            ],
            path: "Tests/Tools/Fuzz/Tests", swiftSettings: strict),

        // `swift run blekeep-explore`: the states of the small machines; see Tests/Tools/Explore/README.md.
        .target(
            name: "Exploring",
            dependencies: ["BlekeepBluetooth", "BlekeepPoller", "BlekeepRecords", "DBus", "RunLoop"],
            path: "Tests/Tools/Explore/Parts", swiftSettings: strict),
        .executableTarget(
            name: "blekeep-explore", dependencies: ["Exploring"], path: "Tests/Tools/Explore/Command",
            swiftSettings: strict),
        .testTarget(
            name: "ExploringTests", dependencies: ["Exploring"], path: "Tests/Tools/Explore/Tests",
            swiftSettings: strict),

        // What the tests of outputs and of the history write, and the broker that they write to.
        .target(
            name: "SampleReadings", dependencies: ["Blekeep", "BusBench"], path: "Tests/Tools/SampleReadings",
            swiftSettings: strict),

        // What tests do to the database of a history.
        .target(
            name: "HistoryTrials", dependencies: ["BlekeepHistory", grdb], path: "Tests/Tools/HistoryTrials",
            swiftSettings: strict),

        // `swift run blekeep-house HISTORY 60 30`: the history of a house of 60 devices over 30 days, for pages and figures.
        .target(
            name: "SampleHouse", dependencies: ["Blekeep", "BlekeepHistory", "RunLoop"],
            path: "Tests/Tools/SampleHouse/Parts", swiftSettings: strict),
        .executableTarget(
            name: "blekeep-house", dependencies: ["Blekeep", "BlekeepHistory", "RunLoop", "SampleHouse"],
            path: "Tests/Tools/SampleHouse/Command", swiftSettings: strict),

        // `swift run blekeep-killing`: kill -9 at every step of a tick; see Tests/Tools/Killing/README.md.
        .target(
            name: "Killing",
            dependencies: [
                "Blekeep", "BlekeepHistory", "BlekeepOutputs", "BlekeepSimulation", "BusBench", "DBus",
                "RunLoop", grdb, logging, sqlite,
            ],
            path: "Tests/Tools/Killing/Parts", swiftSettings: strict),
        .executableTarget(
            name: "blekeep-killing", dependencies: ["Killing"], path: "Tests/Tools/Killing/Command",
            swiftSettings: strict),
        .testTarget(
            name: "KillingTests", dependencies: ["BusBench", "Killing", "blekeep-killing"],
            path: "Tests/Tools/Killing/Tests", swiftSettings: strict),

        // `swift run -c release blekeep-swarm`: random faults in virtual time; see Tests/Tools/Swarm/README.md.
        .target(
            name: "Swarming",
            dependencies: [
                "Blekeep", "BlekeepConfiguration", "BlekeepHistory", "BlekeepOutputs", "BlekeepSimulation", "BusBench",
                "DBus", "RunLoop", grdb, logging,
            ],
            path: "Tests/Tools/Swarm/Parts", swiftSettings: inner),
        .executableTarget(
            name: "blekeep-swarm", dependencies: ["RunLoop", "Swarming", argumentParser],
            path: "Tests/Tools/Swarm/Command", swiftSettings: strict),
        .testTarget(
            name: "SwarmingTests",
            dependencies: [
                "Blekeep", "BlekeepConfiguration", "BlekeepPoller", "BlekeepSimulation", "BusBench", "DBus", "RunLoop",
                "Swarming",
            ],
            path: "Tests/Tools/Swarm/Tests", swiftSettings: strict),
    ]
)

// A file of Sources imports the modules whose members it uses.
for target in package.targets where target.path == nil && target.type != .test {
    target.swiftSettings?.insert(.enableUpcomingFeature("MemberImportVisibility"), at: 2)
}

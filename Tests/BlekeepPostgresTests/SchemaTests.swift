import SampleReadings
import Testing

@testable import BlekeepPostgres

/// Gateways of a version and of the one before share a database.
@Suite struct SchemaTests {
    /// A checksum of the statements of each migration, without comments and layout.
    private static let released: [UInt32] = [676_750_370]

    @Test func theMigrationsStayAsTheyAre() {
        let sums = PostgresSchema.migrations.map { text in
            text.replacing(/--.*/, with: "").split(whereSeparator: \.isWhitespace).joined(separator: " ").utf8
                .reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        }
        #expect(
            sums == Self.released,
            "the tables changed: add a migration; before the release of its version, change the checksum here")
    }

    /// Gateways and administrators of a release call these, also with a later database. A later form has another number.
    @Test(.enabled(if: Database.programs != nil, "needs Debian's package postgresql"))
    func whatIsCalledStays() throws {
        let database = try Database()
        try database.execute(PostgresSchema.statements())
        let calls = try database.execute(
            """
            SELECT proname || '(' || pg_get_function_identity_arguments(oid) || ')' FROM pg_proc
            WHERE pronamespace = 'blekeep'::regnamespace AND proname ~ '_[0-9]+$' ORDER BY proname
            """)
        #expect(
            calls == [
                "adopt_1(gateway text, installation text)",
                "apply_1(yaml text, gateways text[], seen integer)",
                "configure_1(gateway text, version integer, digest text, "
                    + "refused integer, refused_digest text, problem text)",
                "gateways_1()",
                "invite_1(gateway text, verifier text)",
                "join_1(verifier text)",
                "leave_1(gateway text, installation text)",
                "move_1(device text, gateway text)",
                "put_1(gateway text, installations uuid[], readings json)",
                "received_1(gateway text, installations uuid[])",
                "remove_1(gateway text)",
                "report_1(gateway text, installation text, state json, devices json)",
                "rollback_1(version integer, seen integer)",
                "server_1()",
                "tick_1(gateway text, installation text, devices json, claims text[], gives json)",
                "versions_1()",
            ])
    }
}

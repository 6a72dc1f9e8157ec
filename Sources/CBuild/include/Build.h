#pragma once

/// The commit that the programs were built from and its date, such as "1a2b3c4d, 2026-11-29"; empty in a build that `.packaging/deb`
/// didn't make.
extern const char *const commit_of_build;

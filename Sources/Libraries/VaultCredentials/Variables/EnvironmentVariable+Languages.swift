extension EnvironmentVariable {
  /// Families of variables by which languages and their tools find what they load and run.
  ///
  /// Of the manual pages and guides: GNU Octave 2.1, Guile 4.2, R's `?EnvVar`, Julia "Environment
  /// Variables", perlrun(1), composer "Environment variables", .NET "environment variables",
  /// mono(1), erl(1), ocaml(1), GHC 5.9, CHICKEN "Deployment", Crystal, Haxe, Rakudo,
  /// gnuplot, PySpark.
  static let languages = [
    "BUNDLE_LOCAL__", "BUNDLE_MIRROR__", "BUN_", "CABAL_", "CAML", "CHEZSCHEME", "CHICKEN_",
    "COMPLUS_", "COMPOSER_", "CRYSTAL_", "DOTNET_", "ELIXIR_", "ERL_", "GHC_", "GNUPLOT_",
    "GUILE_", "HAXE", "JRUBY_", "JULIA_", "LEIN_", "LOGTALK", "LUAROCKS_", "MATLAB", "MAXIMA_",
    "MONO_", "MSBUILD", "NIMBLE_", "NUGET_", "NU_PLUGIN", "OCAML", "OCTAVE_", "OPAM", "PERLBREW_",
    "PERLDB", "PERLIO", "PERL_", "PHP_PEAR_", "PYSPARK_", "RAKU", "R_BUILD_", "R_CHECK_",
    "R_ENVIRON", "R_LIBS", "R_MAKEVARS", "R_PROFILE", "SBCL_", "SWIFTPM_", "TCL8", "TCL9_",
    "TS_NODE_", "ZIG_",
  ]

  /// Those that belong to no family, and those of a family that end as a harmless one does:
  /// `_USER`, `_PROJECT`.
  static let ofLanguages: Set<String> = [
    "ADA_OBJECTS_PATH", "ADA_PROJECT_PATH", "CL_SOURCE_REGISTRY", "DENO_CERT", "DENO_DIR",
    "DENO_INSTALL_ROOT", "DENO_TLS_CA_STORE", "DOT_SAGE", "ECLDIR", "EMACSDATA", "EMACSDOC",
    "FLUTTER_ROOT", "FLUTTER_STORAGE_BASE_URL", "GAMBOPT", "GEM_SPEC_CACHE", "GOCACHE", "GODEBUG",
    "GOEXPERIMENT", "GOTMPDIR", "GPR_PROJECT_PATH", "ITCL_LIBRARY", "JULIA_PROJECT",
    "JUPYTER_DATA_DIR", "JUPYTER_PATH", "MIX_ARCHIVES", "MIX_BUILD_PATH", "MIX_DEPS_PATH",
    "MIX_EXS", "MIX_PATH", "MIX_REBAR", "MIX_REBAR3", "MPLBACKEND", "MPLCONFIGDIR",
    "NUMBA_CACHE_DIR", "NU_LIB_DIRS", "PLTADDONDIR", "PLTCOLLECTS", "PLTCOMPILEDROOTS",
    "PLTUSERHOME", "PUB_CACHE", "PUB_HOSTED_URL", "R_DEFAULT_PACKAGES", "R_DOC_DIR",
    "R_ENVIRON_USER", "R_HISTFILE", "R_INCLUDE_DIR", "R_LIBS_USER", "R_MAKEVARS_USER",
    "R_PDFVIEWER", "R_PROFILE_USER", "R_SHARE_DIR", "R_TESTS", "SAGE_ROOT", "SCIHOME",
    "SWI_HOME_DIR", "TCL_PACKAGE_PATH", "TS_NODE_PROJECT",
  ]
}

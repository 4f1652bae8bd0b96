//! Two hundred kinds, in registries of 1, 10, 40 and 200 of them.
#![allow(non_camel_case_types, reason = "the name of a kind makes its marker")]

use polyloop::{Body, ContextFragment, FragmentSpec, Role, registry};

/// The markers of a kind, for the scan that recognising is compared with.
pub(crate) type Pair = (&'static str, &'static str);

macro_rules! kinds {
    ($($name:ident)*) => {
        /// The markers of all kinds, in the order of the registries.
        pub(crate) const PAIRS: &[Pair] =
            &[$((concat!("<", stringify!($name), ">"), concat!("</", stringify!($name), ">"))),*];

        $(
            pub(crate) struct $name(pub(crate) String);

            impl ContextFragment for $name {
                const SPEC: FragmentSpec = FragmentSpec::new(stringify!($name), Role::User, 2_000_000)
                    .large("a megabyte of text is measured")
                    .markers(concat!("<", stringify!($name), ">"), concat!("</", stringify!($name), ">"));

                fn body(&self) -> Body {
                    Body::new().value(&self.0)
                }
            }
        )*

        registry! {
            /// All of them.
            pub(crate) struct All { fragments: [$($name),*] }
        }
    };
}

kinds! {
    k000 k001 k002 k003 k004 k005 k006 k007 k008 k009 k010 k011 k012 k013 k014 k015 k016 k017 k018 k019
    k020 k021 k022 k023 k024 k025 k026 k027 k028 k029 k030 k031 k032 k033 k034 k035 k036 k037 k038 k039
    k040 k041 k042 k043 k044 k045 k046 k047 k048 k049 k050 k051 k052 k053 k054 k055 k056 k057 k058 k059
    k060 k061 k062 k063 k064 k065 k066 k067 k068 k069 k070 k071 k072 k073 k074 k075 k076 k077 k078 k079
    k080 k081 k082 k083 k084 k085 k086 k087 k088 k089 k090 k091 k092 k093 k094 k095 k096 k097 k098 k099
    k100 k101 k102 k103 k104 k105 k106 k107 k108 k109 k110 k111 k112 k113 k114 k115 k116 k117 k118 k119
    k120 k121 k122 k123 k124 k125 k126 k127 k128 k129 k130 k131 k132 k133 k134 k135 k136 k137 k138 k139
    k140 k141 k142 k143 k144 k145 k146 k147 k148 k149 k150 k151 k152 k153 k154 k155 k156 k157 k158 k159
    k160 k161 k162 k163 k164 k165 k166 k167 k168 k169 k170 k171 k172 k173 k174 k175 k176 k177 k178 k179
    k180 k181 k182 k183 k184 k185 k186 k187 k188 k189 k190 k191 k192 k193 k194 k195 k196 k197 k198 k199
}

registry! {
    /// One kind.
    pub(crate) struct One { fragments: [k000] }
}

registry! {
    /// Ten kinds.
    pub(crate) struct Ten { fragments: [
        k000, k001, k002, k003, k004, k005, k006, k007, k008, k009
    ] }
}

registry! {
    /// Forty kinds.
    pub(crate) struct Forty { fragments: [
        k000, k001, k002, k003, k004, k005, k006, k007, k008, k009, k010, k011, k012, k013, k014,
        k015, k016, k017, k018, k019, k020, k021, k022, k023, k024, k025, k026, k027, k028, k029,
        k030, k031, k032, k033, k034, k035, k036, k037, k038, k039
    ] }
}

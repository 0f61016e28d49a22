// Text that would do harm if it were taken for anything other than text.

const LINE = 200_000;

export const PAYLOADS = [
  "<script>pwned()</script>",
  '"><img src=x onerror=pwned()>',
  "<svg onload=pwned()><animate onbegin=pwned() attributeName=x></svg>",
  '<a href="javascript:pwned()">a link</a> javascript:pwned()',
  '{{constructor.constructor("pwned()")()}} ${pwned()} <%= pwned() %> #{pwned()}',
  '<iframe srcdoc="<script>parent.pwned()</script>"></iframe>',
  '<meta http-equiv="refresh" content="0;url=http://127.0.0.2:9/pwned"><base href="http://127.0.0.2:9/">',
  "<style>*{display:none}@import 'http://127.0.0.2:9/pwned'</style><link rel=stylesheet href=http://127.0.0.2:9/pwned>",
  '</textarea></pre></style></title></script><img src="http://127.0.0.2:9/pwned" onerror="pwned()">',
  "<!-- --!> ]]> <![CDATA[ pwned --><form action=http://127.0.0.2:9/><button autofocus onfocus=pwned()>",
  "\u202Epwned\u202C \u2066\u2067pwned\u2069 \u200f",
  "\0\u0001\u001b]0;pwned\u0007\u001b[31m\u009b\u007f\r\b",
  "pwned \ud800 \udc00\ud800 \udfff",
  "__proto__ constructor toString pwned",
  `pwned ${"x".repeat(LINE)}`,
  `pwned ${"\u05d0\u0301\u0301\u0301".repeat(5000)}`,
];

/** Several of these on one line. */
export const HOSTILE = PAYLOADS.slice(0, 4).join(" ");

/** Converts a value to JSON. `JSON.stringify` escapes lone surrogates, so the result can be written as UTF-8. */
export const literal = JSON.stringify;

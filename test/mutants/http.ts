import { type Mutant, ofGuarantee } from './mutant.ts'

const HTTP = 'test/mcp/http.test.ts'
const TOKENS = 'test/mcp/tokens.test.ts'
const ATTACKS = 'test/mcp/http-attacks.slow.test.ts'
const FRONT = 'src/surfaces/mcp/http/front.ts'

/** Breaks of what is promised of a server that listens. */
export const OVER_HTTP: readonly Mutant[] = [
  ...ofGuarantee('No listening port unless asked', [
    'another host than this machine needs a flag',
    'src/surfaces/cli/commands/serve-http.ts',
    'if (!isRemote && !isLoopback(named))',
    'if (!isRemote && named === "")',
    TOKENS,
  ]),
  ...ofGuarantee(
    'Over HTTP nothing is answered without a token',
    [
      'a token has to be known',
      'src/surfaces/http/head.ts',
      'if (timingSafeEqual(holder.hash, hash)) found',
      'if (holder.hash && hash) found',
      HTTP,
    ],
    [
      'a foreign host is refused',
      FRONT,
      'if (!isOurs(headersDistinct.host',
      'if (!HOST && !isOurs(headersDistinct.host',
      HTTP,
    ],
    ['a foreign page is refused', FRONT, 'if (origin !== undefined &&', 'if (origin === "" &&', HTTP],
    [
      'a reader with a token writes nothing',
      'src/surfaces/mcp/caller.ts',
      'as: this.#served.capability,',
      "as: 'agent',",
      HTTP,
    ],
    [
      'a token leaves its scope by no call',
      'src/surfaces/mcp/caller.ts',
      'scope: this.#known?.scope,',
      'scope: undefined,',
      HTTP,
    ],
    [
      'a revoked token opens nothing',
      'src/surfaces/mcp/http/holders.ts',
      'if (now !== undefined && now === mark)',
      'if (mark !== undefined || known.length > 0)',
      TOKENS,
    ],
    [
      'headers that come slowly are waited for in vain',
      'src/surfaces/http/listen.ts',
      'headersTimeout: headersMs,',
      'headersTimeout: 0,',
      ATTACKS,
      'say nothing',
    ],
    [
      'connections without a token leave room for others',
      'src/surfaces/http/strangers.ts',
      'oldest.destroy()',
      'void oldest',
      ATTACKS,
      '500 connections',
    ],
  ),
]

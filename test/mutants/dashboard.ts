import { type Mutant, ofGuarantee } from './mutant.ts'

const GATE = 'test/dashboard/gate.test.ts'
const ROUTES = 'test/dashboard/routes.test.ts'
const FILES = 'test/dashboard/page-files.test.ts'
const INSTANCE = 'test/dashboard/instance.test.ts'
const LOOKING = 'test/dashboard/looking.test.ts'
const at = (name: string) => `src/surfaces/dashboard/${name}.ts`

/** Breaks of what is promised of the dashboard. */
export const DASHBOARD: readonly Mutant[] = ofGuarantee(
  'The dashboard answers this machine and its own page',
  ['a foreign host is refused', at('gate'), 'if (!isOneOf(host, hosts))', 'if (host === undefined)', GATE],
  [
    'a foreign page is refused',
    at('gate'),
    'if (origin !== undefined && !',
    'if (origin === undefined && !',
    GATE,
  ],
  ['another site is refused', at('gate'), 'if (site !== undefined && !', 'if (site === undefined && !', GATE],
  ['two hosts are refused', at('gate'), '&& others.length === 0 &&', '&&', GATE],
  [
    'a call needs the token',
    at('gate'),
    'token !== undefined && isToken(token) ?',
    'token !== undefined ?',
    GATE,
  ],
  ['a body is JSON', at('gate'), "JSON_TYPE.test(type[0] ?? '')", "type[0] !== ''", GATE],
  [
    'a long body is refused',
    at('gate'),
    'if (Number(length?.[0] ?? 0) >',
    'if (Number(length?.[1] ?? 0) >',
    GATE,
  ],
  [
    'a code is traded once',
    at('session'),
    '    this.#codes.delete(name)\n    return until',
    '    return until',
    GATE,
  ],
  ['a code ends', at('session'), 'until !== undefined && this.#now() <= until', 'until !== undefined', GATE],
  [
    'it listens at this machine alone',
    at('server'),
    "export const HOST = '127.0.0.1'",
    "export const HOST = '0.0.0.0'",
    ROUTES,
  ],
  [
    'read only writes nothing',
    at('routes'),
    'if (this.#parts.readOnly && !isLook',
    'if (this.#parts === undefined && !isLook',
    ROUTES,
  ],
  [
    'no file of this machine is named',
    at('served'),
    'if (given === undefined) return',
    'if (given !== undefined) return',
    ROUTES,
  ],
  [
    'what a record keeps away is not served',
    at('served'),
    "if (dashboard === 'never') return false",
    'if (dashboard === undefined) return true',
    ROUTES,
  ],
  ['calls at once have an end', at('routes'), 'DASHBOARD_BOUNDS.calls)', 'DASHBOARD_BOUNDS.codeMs)', ROUTES],
  [
    'a call ends with whoever waits for it',
    at('server'),
    "response.once('close', () => leaving.abort())",
    '',
    ROUTES,
  ],
  [
    'every answer has the policy',
    at('server'),
    "    ...SECURITY_HEADERS,\n    'content-type': 'application/json",
    "    'content-type': 'application/json",
    FILES,
  ],
  [
    'the policy has no unsafe part',
    at('static'),
    '"style-src \'self\'"',
    "\"style-src 'self' 'unsafe-inline'\"",
    FILES,
  ],
  [
    'only what the list names is found',
    at('static'),
    "path.includes('.') ? undefined",
    "path.includes('..') ? undefined",
    FILES,
  ],
  [
    'the list names no file elsewhere',
    at('static'),
    'name: z.string().regex(NAME)',
    'name: z.string()',
    FILES,
  ],
  [
    'the file is its user’s alone',
    at('instance'),
    'openSync(this.#path, flags, 0o600)',
    'openSync(this.#path, flags, 0o644)',
    INSTANCE,
  ],
  ['no link is followed', at('instance'), '!found.isFile() ||', 'found.isDirectory() ||', INSTANCE],
  [
    'a code is for who read the file',
    at('instance'),
    "if (!isSame(proof, proofOf(this.#secret, 'ask', nonce)))",
    'if (proof === nonce)',
    INSTANCE,
  ],
  ['who took the port gets no browser', at('instance'), 'return isKnown ? {', 'return proof ? {', INSTANCE],
  [
    'looking begins nothing',
    'src/views/place.ts',
    'run: async (engine) => {',
    "run: async (engine) => { await engine.store.write((tx) => tx.saveMeta('seen', '1'))",
    LOOKING,
  ],
)

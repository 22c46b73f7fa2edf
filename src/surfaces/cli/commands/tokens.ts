import { newToken, openTokenStore, type TokenFacts } from '../../../adapters/project/tokens/token-store.ts'
import { memoryName } from '../../../engine/address.ts'
import type { TokenStore } from '../../../engine/ports.ts'
import { ElfmemError } from '../../../errors.ts'
import { operationNames } from '../../../operations/load.ts'
import { toolChoiceFrom } from '../../../operations/tool-choice.ts'
import { harmlessLine, nearest } from '../../../operations/wording.ts'
import { openTokens, placeName, servicePlace } from '../../service/place.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED } from '../io.ts'
import { resolveCliProject } from '../project.ts'
import { jsonText } from '../screen/output.ts'
import { pageFor, setOnPage } from '../screen/style.ts'

/** Digits of a hash that are shown, enough to tell two tokens apart. */
const SHOWN_DIGITS = 12
const ACTIONS = ['list', 'add', 'revoke'] as const

/** The flags that say what a token is, besides its name. */
const FACTS = ['as', 'scope', 'tools', 'memory', 'expires'] as const

/** Makes, lists and revokes the tokens of a memory. */
export async function runTokens(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { global, positionals, values } = flags
  const action = ACTIONS.find((each) => each === (positionals[0] ?? 'list'))
  if (action === undefined) throw noAction(positionals[0] ?? '')
  const unused = unusedIn(action, { ...values, as: global.as, memory: global.memory })
  if (unused !== undefined)
    throw new ElfmemError('INVALID_INPUT', `elfmem tokens ${action} has no use for --${unused}.`, {
      recovery: 'Leave it out.',
    })
  const { store, path, isService, close } = await storeOf(flags, io)
  try {
    const tell: Tell = (data, text) => {
      const place = isService ? { store: path } : { memory: path }
      const said = global.json ? jsonText({ ...place, ...data }) : setOnPage(text, pageFor(io.stdout, io))
      io.stdout.write(`${said}\n`)
    }
    if (action === 'list') return await list(store, { path, isService, tell })
    const name = values.name
    if (typeof name !== 'string')
      throw new ElfmemError('INVALID_INPUT', `elfmem tokens ${action} needs a name.`, {
        recovery: `Run elfmem tokens ${action} --name ci.`,
      })
    if (action === 'revoke') return await revoke(store, { name, tell })
    const memory = isService ? memoryName(global.memory ?? name) : path
    return await add(store, factsOf(flags, { name, memory }), { flags, io, tell })
  } finally {
    await close()
  }
}

interface OpenTokens {
  readonly store: TokenStore
  readonly path: string
  readonly isService: boolean
  readonly close: () => Promise<void>
}

async function storeOf({ global, values }: ParsedFlags, io: CliIo): Promise<OpenTokens> {
  const place = servicePlace({ memories: values.memories, store: values.store, db: global.db }, io)
  if (place !== undefined) {
    const { tokens, close } = await openTokens(place)
    return { store: tokens, path: placeName(place), isService: true, close }
  }
  const project = await resolveCliProject({ ...global, quiet: global.quiet || global.json }, io)
  const { path } = project.database
  const store = openTokenStore(io.home, path, process.getuid?.())
  return { store, path, isService: false, close: async () => undefined }
}

type Tell = (data: object, text: string) => void

/** Returns a flag that an action has no use for. */
function unusedIn(action: string, values: Readonly<Record<string, unknown>>): string | undefined {
  const unused = [...(action === 'add' ? [] : FACTS), ...(action === 'list' ? ['name'] : [])]
  return unused.find((flag) => values[flag] !== undefined)
}

function noAction(given: string): ElfmemError {
  const near = nearest(given, ACTIONS)
  return new ElfmemError('INVALID_INPUT', `elfmem tokens does not know "${harmlessLine(given)}".`, {
    recovery: near === undefined ? 'It knows list, add and revoke.' : `Did you mean elfmem tokens ${near}?`,
  })
}

async function list(
  store: TokenStore,
  { path, isService, tell }: Pick<OpenTokens, 'path' | 'isService'> & { readonly tell: Tell },
): Promise<number> {
  const tokens = (await store.list()).map(
    ({ sha256, isAutomatic, madeAt, expiresAt, memory, ...record }) => ({
      ...record,
      ...(isService ? { memory } : {}),
      sha256: sha256.slice(0, SHOWN_DIGITS),
      made_at: madeAt,
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
      ...(isAutomatic ? { automatic: true } : {}),
    }),
  )
  const lines = tokens.map(({ name, as, scope, tools, sha256, made_at, ...more }) =>
    [
      `${name}  ${as}`,
      ...('memory' in more ? [`memory ${more.memory}`] : []),
      ...(scope === undefined ? [] : [`scope ${scope}`]),
      ...(tools === undefined ? [] : [`tools ${tools}`]),
      `${sha256}…`,
      `since ${made_at.slice(0, 10)}`,
      ...(more.expires_at === undefined ? [] : [`until ${more.expires_at.slice(0, 16)}`]),
      ...('automatic' in more ? ['made by a server'] : []),
    ].join('  '),
  )
  const none = `No token opens ${path}; elfmem tokens add --name NAME makes one.`
  tell({ tokens }, lines.map(harmlessLine).join('\n') || harmlessLine(none))
  return EXIT_OK
}

function factsOf({ global, values }: ParsedFlags, named: Pick<TokenFacts, 'name' | 'memory'>): TokenFacts {
  const { scope, tools, expires } = values
  if (typeof tools === 'string') toolChoiceFrom(tools, operationNames)
  return {
    ...named,
    as: global.as ?? 'agent',
    ...(typeof scope === 'string' ? { scope } : {}),
    ...(typeof tools === 'string' ? { tools } : {}),
    ...(typeof expires === 'string' ? { expiresAt: timeAfter(expires) } : {}),
  }
}

const MINUTES = { m: 1, h: 60, d: 1_440, w: 10_080 } as const

/** Returns the time that is a span from now, such as 90d, ISO-8601 UTC. */
function timeAfter(span: string): string {
  const [, number, unit] = /^([1-9]\d{0,4})([mhdw])$/.exec(span) ?? []
  if (number === undefined)
    throw new ElfmemError('INVALID_INPUT', '--expires is no span of time.', {
      recovery: 'Say a number with m, h, d or w for minutes, hours, days or weeks, such as 90d.',
    })
  return new Date(Date.now() + Number(number) * MINUTES[unit as keyof typeof MINUTES] * 60_000).toISOString()
}

async function add(
  store: TokenStore,
  facts: TokenFacts,
  { flags, io, tell }: { readonly flags: ParsedFlags; readonly io: CliIo; readonly tell: Tell },
): Promise<number> {
  const { json, quiet } = flags.global
  const { token, record } = newToken(facts)
  await store.add(record)
  const { memory, ...told } = facts
  // The token alone goes to standard output, so that a script can take it.
  if (json) tell({ ...told, memory, token }, '')
  else io.stdout.write(`${token}\n`)
  if (!json && !quiet)
    io.stderr.write(`elfmem: this is the only time that the token "${facts.name}" is shown\n`)
  return EXIT_OK
}

async function revoke(
  store: TokenStore,
  { name, tell }: { readonly name: string; readonly tell: Tell },
): Promise<number> {
  const revoked = await store.revoke(name)
  const shown = harmlessLine(name)
  tell(
    { name, revoked },
    revoked ? `The token "${shown}" opens nothing any more.` : `There is no token "${shown}".`,
  )
  return revoked ? EXIT_OK : EXIT_REFUSED
}

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { questionAbout, sentence } from '../../speed/sentences.ts'
import { type Timing, timed, timing } from '../../speed/timed.ts'
import type { Contender } from '../contenders.ts'
import { type Installed, installPacked } from '../install.ts'
import { McpProcess } from './mcp-process.ts'
import { toEnd } from './program.ts'
import { type Lacking, type Place, WAYS, type Ways } from './ways.ts'

/** The list of tools that a client gets and gives to a model, in code points of its JSON. */
interface ToolList {
  readonly count: number
  readonly characters: number
  /** Names, descriptions and input schemas alone: most clients give a model no more. */
  readonly promptCharacters: number
}

/** The cost of having a memory at all. Times are of whole processes, in milliseconds. */
export interface Footprint {
  /** What an empty project grew by; in Python, an environment with pip. */
  readonly installBytes: number
  /** From the start of its server until its tools are listed. */
  readonly listed?: Timing
  /** From the start of its server until a search is answered, the tools listed before. */
  readonly answered?: Timing
  /** Its command, which answers one search and ends. */
  readonly command?: Timing
  readonly tools?: ToolList
  /** What of it was not measured, and why. */
  readonly lacking: readonly string[]
}

/** The notes a memory holds when it is started, the first of the sentences that the speed is measured with. */
const NOTES = 30

/** A contender that was filled and can be started. */
interface Startable {
  readonly ways: Ways
  readonly place: Place
  readonly bytes: number
  readonly times: { readonly listed: number[]; readonly answered: number[]; readonly command: number[] }
  tools?: ToolList
}

/** A contender that is there. */
interface Ready {
  readonly contender: Contender
  readonly installed: Extract<Installed, { command: string }>
}

/** What was measured by the key of each contender, or why it was not; who installs nothing is not in it. */
export type Footprints = ReadonlyMap<string, Footprint | { readonly reason: string }>

/**
 * Measures what contenders take on disk, until their first answer and in a prompt. They are started in turn, round by
 * round, so that whatever else the machine does is the same for all.
 */
export async function measureFootprints(
  ready: readonly Ready[],
  { folder, runs }: { readonly folder: string; readonly runs: number },
): Promise<Footprints> {
  const found = new Map<string, Startable | { readonly reason: string }>()
  const attempt = async (key: string, work: () => Promise<Startable | undefined>) => {
    try {
      const done = await work()
      if (done) found.set(key, done)
    } catch (error) {
      found.set(key, { reason: error instanceof Error ? error.message : String(error) })
    }
  }
  for (const each of ready) await attempt(each.contender.key, () => prepare(each, folder))
  // The first start is not counted: it compiles, and fills the caches of the system.
  for (let round = 0; round <= runs; round++)
    for (const [key, each] of [...found]) if ('ways' in each) await attempt(key, () => startOnce(each, round))
  return new Map([...found].map(([key, each]) => [key, 'ways' in each ? footprintOf(each) : each]))
}

async function prepare({ contender, installed }: Ready, folder: string): Promise<Startable | undefined> {
  const ways = WAYS[contender.key]
  if (ways === undefined) return undefined
  const home = join(folder, `${contender.key}-footprint`)
  const { packages, bytes } = await packagesOf(contender, installed, join(home, 'packed'))
  const place = { packages, folder: join(home, 'home') }
  mkdirSync(place.folder, { recursive: true })
  await ways.fill(
    place,
    Array.from({ length: NOTES }, (_, i) => sentence(i)),
  )
  return { ways, place, bytes, times: { listed: [], answered: [], command: [] } }
}

async function packagesOf(
  { install: { from } }: Contender,
  { packages, bytes }: Ready['installed'],
  folder: string,
): Promise<{ packages: string; bytes: number }> {
  if (from === 'checkout') return installPacked(folder)
  if (bytes === undefined) throw new Error('nothing was installed')
  return { packages, bytes }
}

/** Starts the server and the command once each; the times of round 0 are not kept. */
async function startOnce(startable: Startable, round: number): Promise<Startable> {
  const { ways, place, times } = startable
  const keep = (of: number[], ms: number) => {
    if (round > 0) of.push(ms)
  }
  const question = questionAbout(round % NOTES)
  const { server, tool, command } = ways
  if (!('lacks' in server)) {
    const started = performance.now()
    await using process = new McpProcess(server(place))
    await process.greet()
    const tools = await process.tools()
    keep(times.listed, performance.now() - started)
    startable.tools = measureTools(tools)
    if (!('lacks' in tool)) {
      await process.call(tool.name, { [tool.question]: question })
      keep(times.answered, performance.now() - started)
    }
  }
  if (!('lacks' in command)) keep(times.command, await timed(() => toEnd(command(place, question))))
  return startable
}

function footprintOf({ ways, bytes, times, tools }: Startable): Footprint {
  const { listed, answered, command } = times
  return {
    installBytes: bytes,
    ...(listed.length > 0 ? { listed: timing(listed) } : {}),
    ...(answered.length > 0 ? { answered: timing(answered) } : {}),
    ...(command.length > 0 ? { command: timing(command) } : {}),
    ...(tools ? { tools } : {}),
    lacking: [
      ...reasonOf('server', ways.server),
      ...('lacks' in ways.server ? [] : reasonOf('first answer of the server', ways.tool)),
      ...reasonOf('command', ways.command),
    ],
  }
}

function reasonOf(what: string, way: object): readonly string[] {
  return 'lacks' in way ? [`${what}: ${(way as Lacking).lacks}`] : []
}

/** The size of a list of tools as it comes over the wire. */
function measureTools(tools: readonly Readonly<Record<string, unknown>>[]): ToolList {
  const prompt = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  return {
    count: tools.length,
    characters: charactersOf(tools),
    promptCharacters: charactersOf(prompt),
  }
}

function charactersOf(value: unknown): number {
  return [...JSON.stringify(value)].length
}

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { questionAbout, sentence } from '../speed/sentences.ts'
import { type Timing, timed, timing } from '../speed/timed.ts'
import type { Contender, Place } from './contenders.ts'
import { installPacked } from './install.ts'
import type { Ready } from './measure.ts'
import { McpProcess, toEnd } from './process.ts'

/** The cost of an installed memory before it is used. Times are of whole processes, in milliseconds. */
export interface Footprint {
  /** Growth of an empty project; in Python, of an environment with pip. */
  readonly installBytes: number
  /** Time from the start of its server until its tools are listed. */
  readonly listed?: Timing
  /** Time from the start of its server until its tools are listed and a search is answered. */
  readonly answered?: Timing
  /** Time of its command, which answers one search and ends. */
  readonly command?: Timing
  /** The list of tools that a client gets and gives to a model, in code points of its JSON; most clients give a model names, descriptions and input schemas alone. */
  readonly tools?: { readonly count: number; readonly characters: number; readonly promptCharacters: number }
}

/** Notes a memory holds when it is started, the first of the sentences that the speed is measured with. */
const NOTES = 30
const STARTS = 9

interface Startable {
  readonly ways: NonNullable<Contender['ways']>
  readonly place: Place
  readonly bytes: number
  readonly times: { readonly listed: number[]; readonly answered: number[]; readonly command: number[] }
  tools?: Footprint['tools']
}

/**
 * Measures what contenders take on disk, until their first answer and in a prompt, by key, or gives the reason why not. They are
 * started in turn, round by round, so that whatever else the machine does is the same for all.
 */
export async function measureFootprints(
  ready: readonly Ready[],
  folder: string,
): Promise<ReadonlyMap<string, Footprint | string>> {
  const found = new Map<string, Startable | string>()
  const attempt = async (key: string, work: () => Promise<Startable>) => {
    const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
    found.set(key, await work().catch(reasonOf))
  }
  for (const { contender, installed } of ready) {
    const { key, ways } = contender
    if (ways === undefined) continue
    await attempt(key, async () => {
      const home = join(folder, `${key}-footprint`)
      const { packages, bytes } = contender.install ? installed : await installPacked(join(home, 'packed'))
      const place = { packages, folder: join(home, 'home') }
      mkdirSync(place.folder, { recursive: true })
      await ways.fill?.(
        place,
        Array.from({ length: NOTES }, (_, i) => sentence(i)),
      )
      return { ways, place, bytes, times: { listed: [], answered: [], command: [] } }
    })
  }
  // The first start is not counted: it compiles, and fills the caches of the system.
  for (let round = 0; round <= STARTS; round++)
    for (const [key, each] of [...found])
      if (typeof each !== 'string') await attempt(key, () => startOnce(each, round))
  return new Map([...found].map(([key, each]) => [key, typeof each === 'string' ? each : footprintOf(each)]))
}

/** Starts the server and the command once each; the times of round 0 are not kept. */
async function startOnce(startable: Startable, round: number): Promise<Startable> {
  const { ways, place, times } = startable
  const keep = (of: number[], ms: number) => {
    if (round > 0) of.push(ms)
  }
  const question = questionAbout(round % NOTES)
  const { server, tool, command } = ways
  if (typeof server !== 'string') {
    const started = performance.now()
    await using process = new McpProcess(server(place))
    await process.greet()
    const tools = await process.tools()
    keep(times.listed, performance.now() - started)
    const prompt = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
    const [characters, promptCharacters] = [tools, prompt].map((list) => [...JSON.stringify(list)].length)
    startable.tools = { count: tools.length, characters, promptCharacters } as NonNullable<Footprint['tools']>
    if (tool !== undefined) {
      await process.call(tool, { query: question })
      keep(times.answered, performance.now() - started)
    }
  }
  if (typeof command !== 'string') keep(times.command, await timed(() => toEnd(command(place, question))))
  return startable
}

function footprintOf({ bytes, times: { listed, answered, command }, tools }: Startable): Footprint {
  return {
    installBytes: bytes,
    ...(listed.length > 0 && { listed: timing(listed) }),
    ...(answered.length > 0 && { answered: timing(answered) }),
    ...(command.length > 0 && { command: timing(command) }),
    ...(tools && { tools }),
  }
}

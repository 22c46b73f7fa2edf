import type { Table } from '../../lib/table.ts'
import { p50p95, type Timing } from '../../speed/timed.ts'
import type { PeerResult } from '../peers.ts'

/** As elfmem counts tokens everywhere. */
const CHARACTERS_A_TOKEN = 4
const NOT_MEASURED = 'not measured'

/** Tokens of so many characters, by the estimate that elfmem uses. */
export function tokensOf(characters: number): number {
  return Math.floor(characters / CHARACTERS_A_TOKEN)
}

/** Bytes as megabytes, with as many decimals as tell something. */
export function megabytesOf(bytes: number): string {
  const megabytes = bytes / 1e6
  return megabytes.toFixed(megabytes < 10 ? 1 : 0)
}

/** What it costs to have each memory; who installs nothing is not in it. */
export function footprintTable(peers: readonly PeerResult[]): Table {
  return {
    head: [
      'memory',
      'install, MB',
      'server lists its tools, ms p50 / p95',
      'server answers, ms p50 / p95',
      'command answers, ms p50 / p95',
    ],
    rows: peers.flatMap(({ name, footprint }) =>
      footprint
        ? [
            [
              name,
              megabytesOf(footprint.installBytes),
              ...[footprint.listed, footprint.answered, footprint.command].map(timeOf),
            ],
          ]
        : [],
    ),
  }
}

/** The tool lists of those that have a server. */
export function toolsTable(peers: readonly PeerResult[]): Table {
  return {
    head: ['memory', 'tools', 'characters', 'tokens', 'tokens without output schemas'],
    rows: peers.flatMap(({ name, footprint }) => {
      const tools = footprint?.tools
      if (!tools) return footprint ? [[name, ...Array.from({ length: 4 }, () => NOT_MEASURED)]] : []
      const { count, characters, promptCharacters } = tools
      const numbers = [count, characters, tokensOf(characters), tokensOf(promptCharacters)]
      return [[name, ...numbers.map((value) => value.toLocaleString('en'))]]
    }),
  }
}

function timeOf(time: Timing | undefined): string {
  return time ? p50p95(time) : NOT_MEASURED
}

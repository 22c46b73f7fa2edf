import { readFileSync } from 'node:fs'
import { ownFile } from '../../../../errors.ts'
import type { Entry } from '../edit/entry.ts'

/** The plugin's own files of hooks, beside the code as it is packed. */
const FOLDER = '../../../../../plugin/hooks/'
/** The name of the server in the plugin of Claude Code; in a file of the user or of a project it has none before it. */
const IN_PLUGIN = '"plugin:elfmem:elfmem"'

/** The hooks that the plugin has, one entry for each event, for a server that is configured without the plugin. */
export function hooksOfPlugin(file: 'hooks.json' | 'codex.json'): readonly Entry[] {
  const read = () => readFileSync(new URL(FOLDER + file, import.meta.url), 'utf8')
  const text = ownFile(`plugin/hooks/${file}`, read).replaceAll(IN_PLUGIN, '"elfmem"')
  const { hooks } = JSON.parse(text) as { readonly hooks: Readonly<Record<string, readonly unknown[]>> }
  return Object.entries(hooks).flatMap(([event, groups]) => groups.map((value) => hookOn(event, value)))
}

/** Milliseconds that Gemini CLI waits for a hook at most; elfmem answers sooner. */
const GEMINI_MS = 1_000
/** Events of Gemini CLI that elfmem has a use for, with the tools that they are about. */
const GEMINI_EVENTS = {
  SessionStart: {},
  BeforeAgent: {},
  AfterTool: { matcher: 'run_shell_command|write_file|replace' },
  AfterAgent: {},
} as const

/** The hooks of Gemini CLI, which run a command. */
export function hooksOfGemini(command: string): readonly Entry[] {
  const hook = { type: 'command', name: 'elfmem', command: `${command} gemini`, timeout: GEMINI_MS }
  return Object.entries(GEMINI_EVENTS).map(([event, matcher]) => hookOn(event, { ...matcher, hooks: [hook] }))
}

/** Returns the entry of one more hook of an event. */
function hookOn(event: string, value: unknown): Entry {
  return { kind: 'item', at: ['hooks', event], value }
}

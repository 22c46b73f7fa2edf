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

/** One more hook of an event. */
export function hookOn(event: string, value: unknown): Entry {
  return { kind: 'item', at: ['hooks', event], value }
}

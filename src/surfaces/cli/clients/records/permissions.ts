import { systemFiles } from '../../../../adapters/project/files.ts'
import { attempt } from '../../../../errors.ts'
import { EDITORS } from '../client.ts'
import { readGuarded } from '../files/guarded-file.ts'
import { type ClientPath, type Ground, pathOn } from '../paths.ts'

/** The value of a file at a path of keys; undefined if there is none or the file cannot be read. */
function settingOf(ground: Ground, path: ClientPath, at: readonly string[]): unknown {
  const file = pathOn(ground, path)
  if (file === undefined) return undefined
  // Some clients keep their history in such a file.
  const text =
    attempt(() => systemFiles.read(file)) ??
    attempt(() => readGuarded(file, { uid: process.getuid?.(), onlyToRead: true }).text)
  const format = file.endsWith('.toml') ? 'toml' : 'json'
  return attempt(() => EDITORS[format].valueAt(text ?? '', at))
}

/** Files of a project in which Claude Code keeps what was allowed. */
const OF_PROJECT = ['{project}/.claude/settings.json', '{project}/.claude/settings.local.json'] as const

/** True if the plugin of Claude Code is switched on. */
export function hasClaudePlugin(ground: Ground): boolean {
  const at = ['enabledPlugins', 'elfmem@elfmem']
  return (['{claude}/settings.json', ...OF_PROJECT] as const).some(
    (path) => settingOf(ground, path, at) === true,
  )
}

/** True if Claude Code may use the server of a project. */
export function isAllowedByClaude(ground: Ground): boolean {
  const allows = (path: ClientPath, at: readonly string[] = []) => {
    const names = settingOf(ground, path, [...at, 'enabledMcpjsonServers'])
    if (Array.isArray(names) && names.includes('elfmem')) return true
    return settingOf(ground, path, [...at, 'enableAllProjectMcpServers']) === true
  }
  if (allows('{claude}/settings.json')) return true
  const [own, known] = ['{besideClaude}/.claude.json' as const, ['projects', ground.project ?? '']]
  // Files of a project count once its owner trusts the project.
  if (settingOf(ground, own, [...known, 'hasTrustDialogAccepted']) !== true) return false
  return allows(own, known) || OF_PROJECT.some((path) => allows(path))
}

/** True if the user let Codex trust a project, so that it reads its files. */
export function isAllowedByCodex(ground: Ground): boolean {
  const at = ['projects', ground.project ?? '', 'trust_level']
  return settingOf(ground, '{codex}/config.toml', at) === 'trusted'
}

/** True if the user let Codex run the hooks of a file. */
export function isTrustedByCodex(ground: Ground, hooksFile: string): boolean {
  const hooks = Object.entries(Object(settingOf(ground, '{codex}/config.toml', ['hooks', 'state'])))
  return hooks.some(
    ([key, value]) => key.startsWith(`${hooksFile}:`) && Object(value).trusted_hash !== undefined,
  )
}

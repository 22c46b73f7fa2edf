import { join } from 'node:path'
import { discoverRoot } from '../../../adapters/project/discover.ts'
import { systemFiles } from '../../../adapters/project/files.ts'
import { projectIdentity } from '../../../adapters/project/identity.ts'
import { PROJECT_DATABASE, standingOf } from '../../../adapters/project/trust/standing.ts'
import { openTrustStore } from '../../../adapters/project/trust/trust-store.ts'
import type { CliIo } from '../io.ts'
import { openManifest } from './files/manifest.ts'
import type { Ground } from './paths.ts'

/** The machine and the project that a command stands in. */
export function groundOf({ cwd, home, env }: CliIo) {
  const uid = process.getuid?.()
  const { root, scope } = projectIdentity({ cwd, home })
  const homes = [home, systemFiles.realPath(home), '/']
  const ground: Ground = {
    home,
    env,
    platform: process.platform,
    ...(homes.includes(root) ? {} : { project: root }),
  }
  return {
    ground,
    uid,
    projectScope: scope,
    manifest: openManifest(home, uid),
    database: ownDatabase({ cwd, home }, uid),
  }
}

/** The memory that a trusted project has of its own. */
function ownDatabase(
  { cwd, home }: Pick<CliIo, 'cwd' | 'home'>,
  uid: number | undefined,
): string | undefined {
  const { root, hasMemory } = discoverRoot({ cwd, home, files: systemFiles, uid })
  if (root === undefined || !hasMemory) return undefined
  const folder = join(root, '.elfmem')
  const { state } = standingOf(folder, { files: systemFiles, uid, trustStore: openTrustStore(home, uid) })
  return state === 'trusted' ? join(folder, PROJECT_DATABASE) : undefined
}

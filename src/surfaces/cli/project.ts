import type { Project } from '../../adapters/project/project.ts'
import { resolveProject } from '../../adapters/project/resolve.ts'
import { SERVICE_VARIABLES } from '../../adapters/project/variables.ts'
import type { CliIo, GlobalOptions } from './io.ts'
import { printWarnings } from './screen/output.ts'

/**
 * The memory and the settings that the flags, the environment and the working directory mean. Says on standard error what
 * does not count, and which memory is used in the place of a project's.
 */
export async function resolveCliProject(
  { db, memory, config, envFile, quiet }: GlobalOptions,
  io: CliIo,
): Promise<Project> {
  const { cwd, env, home } = io
  const project = await resolveProject({ cwd, env, home, flags: { db, memory, config, envFile } })
  const isUseless = db === undefined && env[SERVICE_VARIABLES.url]
  const useless = `ELFMEM_URL does not count for this command, which is about ${project.database.path}.`
  const all = [...project.warnings, isUseless ? useless : undefined, project.notice]
  const said = all.filter((each) => each !== undefined)
  if (!quiet) printWarnings(said, io)
  return project
}

import type { Project } from '../../adapters/project/project.ts'
import { resolveProject } from '../../adapters/project/resolve.ts'
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
  const said = [...project.warnings, project.notice].filter((each) => each !== undefined)
  if (!quiet) printWarnings(said, io)
  return project
}

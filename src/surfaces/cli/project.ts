import type { Project } from '../../adapters/project/project.ts'
import { resolveProject } from '../../adapters/project/resolve.ts'
import type { CliIo, GlobalOptions } from './io.ts'
import { printWarnings } from './output.ts'

/** The memory and the settings that the flags, the environment and the working directory mean. */
export function resolveCliProject({ db, config, envFile }: GlobalOptions, io: CliIo): Promise<Project> {
  const flags = {
    ...(db === undefined ? {} : { db }),
    ...(config === undefined ? {} : { config }),
    ...(envFile === undefined ? {} : { envFile }),
  }
  return resolveProject({ cwd: io.cwd, env: io.env, home: io.home, flags })
}

/**
 * Says on standard error what does not count, and which memory is used in the place of a project's, also if that shows
 * only when the memory is opened.
 */
export function printTold(project: Project, { quiet }: GlobalOptions, io: CliIo): Project {
  const { warnings, notice, otherwise } = project
  const tell = (sentences: readonly (string | undefined)[]) => {
    if (!quiet)
      printWarnings(
        sentences.filter((each) => each !== undefined),
        io,
      )
  }
  tell([...warnings, notice])
  if (otherwise === undefined) return project
  const told = async () => {
    const other = await otherwise()
    tell([other.notice])
    return other
  }
  return { ...project, otherwise: told }
}

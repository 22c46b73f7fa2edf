import { WORDS_NOT_IN_NAMES } from '../prose/words.ts'
import type { Allowed, AllowedFolder, AllowedNames } from './allowed.ts'
import type { TestedOnly } from './callers.ts'
import { exportedThings } from './comments.ts'
import { folderSizes, MAX_FILES } from './folders.ts'
import { circlesOf, type Import, upwardArrows } from './graph.ts'
import type { Source } from './sources.ts'
import { type HouseName, houseNames } from './words.ts'

const LIST = 'scripts/counts/allowed.ts'

/** One sentence for each circle of files that import each other; imports of types count. */
export function circleProblems(imports: readonly Import[]): readonly string[] {
  return circlesOf(imports).map((circle) => {
    const files = circle.map((file) => `src/${file}`).join(', ')
    return `${files} import each other in a circle: move what they share to a file of its own.`
  })
}

/** One sentence for each import that points against the order of the files and folders in one folder. */
export function arrowProblems(imports: readonly Import[]): readonly string[] {
  return upwardArrows(imports).flatMap(({ folder, from, to, imports: drawn }) =>
    drawn.map(
      (one) =>
        `src/${one.from} imports src/${one.to}, but in ${folder === '' ? 'src' : `src/${folder}`} ` +
        `${to} needs ${from} too: move what it imports to where both may import it.`,
    ),
  )
}

/** One sentence for each folder with too many files, and for each exception that allows more than there are. */
export function folderProblems(sources: readonly Source[], allowed: Allowed): readonly string[] {
  const sizes = folderSizes(sources)
  const exceptions = new Map(allowed.folders.map(({ folder, files }) => [folder, files]))
  const tooLarge = [...sizes].flatMap(([folder, size]) => {
    const most = exceptions.get(folder) ?? MAX_FILES
    if (size <= most) return []
    return [`src/${folder} has ${size} files, more than ${most}: split it by the question a file answers.`]
  })
  return [...tooLarge, ...allowed.folders.flatMap((one) => staleFolder(one, sizes.get(one.folder) ?? 0))]
}

function staleFolder({ folder, files }: AllowedFolder, size: number): readonly string[] {
  if (size <= MAX_FILES) return [`src/${folder} has ${size} files: remove its exception from ${LIST}.`]
  return size < files ? [`src/${folder} has ${size} files: lower its exception to ${size} in ${LIST}.`] : []
}

/** One sentence for each export of `src` that only tests and benches call. */
export function testedProblems(tested: readonly TestedOnly[]): readonly string[] {
  return tested.map(
    ({ file, name }) =>
      `src/${file} exports ${name}, which only tests call: move it to them, or use it where its rule is written out.`,
  )
}

/** One sentence for each exported thing, and each method of an exported class, without a doc comment. */
export function undocumentedProblems(sources: readonly Source[]): readonly string[] {
  return exportedThings(sources).flatMap(({ file, name, documented }) =>
    documented
      ? []
      : [`src/${file} has no doc comment on ${name}: say in one sentence what it is or returns.`],
  )
}

function allows({ names, folder }: AllowedNames, { name, file }: HouseName): boolean {
  return names.includes(name) && (folder === undefined || file.startsWith(`${folder}/`))
}

function isDeclared(name: string, exception: AllowedNames, declared: readonly HouseName[]): boolean {
  return declared.some((one) => one.name === name && allows(exception, one))
}

/** The declared names with a word of the house that no exception allows. */
function namesToChange(sources: readonly Source[], allowed: Allowed): readonly HouseName[] {
  return houseNames(sources).filter((found) => !allowed.names.some((exception) => allows(exception, found)))
}

function houseNameProblem({ file, line, name, word }: HouseName): string {
  const better = WORDS_NOT_IN_NAMES.get(word)
  return `src/${file}:${line} declares ${name}: instead of "${word}" use a word of the field, such as "${better}".`
}

/** One sentence for each file and name with a word of the house, and for each allowed name that nothing declares. */
export function nameProblems(sources: readonly Source[], allowed: Allowed): readonly string[] {
  const inFiles = Map.groupBy(namesToChange(sources, allowed), ({ file, name }) => `${file} ${name}`)
  const found = [...inFiles.values()].flatMap(([first]) =>
    first === undefined ? [] : [houseNameProblem(first)],
  )
  const declared = houseNames(sources)
  const stale = allowed.names.flatMap((exception) =>
    exception.names
      .filter((name) => !isDeclared(name, exception, declared))
      .map((name) => `src/${exception.folder ?? ''} declares no ${name}: remove it from ${LIST}.`),
  )
  return [...found, ...stale]
}

/** What the exceptions would have to be for these files: stale ones gone, new ones without a reason. */
export function neededExceptions(sources: readonly Source[], allowed: Allowed): Allowed {
  const reasons = new Map(allowed.folders.map(({ folder, reason }) => [folder, reason]))
  const large = [...folderSizes(sources)].filter(([, files]) => files > MAX_FILES)
  const declared = houseNames(sources)
  const kept = allowed.names.map((exception) => ({
    ...exception,
    names: exception.names.filter((name) => isDeclared(name, exception, declared)),
  }))
  const added = [...new Set(namesToChange(sources, allowed).map(({ name }) => name))].sort()
  return {
    folders: large.map(([folder, files]) => ({ folder, files, reason: reasons.get(folder) ?? '' })),
    names: [...kept, { names: added, reason: '' }].filter(({ names }) => names.length > 0),
  }
}

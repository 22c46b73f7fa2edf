import { type Mutant, ofGuarantee } from './mutant.ts'

const CLIENTS = 'src/surfaces/cli/clients'
const TESTS = 'test/clients'

/** Breaks of what is promised about the files of clients, and about the projects that they work in. */
export const CLIENT_FILES: readonly Mutant[] = [
  ...ofGuarantee(
    'Files of clients are yours',
    [
      'the end of a line goes with the entry that stood behind it',
      `${CLIENTS}/edit/json-take-out.ts`,
      '? at : lineEnd',
      '? at : at',
      `${TESTS}/edits.test.ts`,
    ],
    [
      'an entry with other arguments is not replaced',
      `${CLIENTS}/plans/plan-init.ts`,
      'own === undefined && !force',
      'own === undefined && force',
      `${TESTS}/init.test.ts`,
    ],
    [
      'first bytes do not come back over somebody’s edit',
      `${CLIENTS}/plans/plan-uninstall.ts`,
      'return after === sha256 && mixed !== true',
      'return after !== "" && mixed !== true',
      `${TESTS}/uninstall.test.ts`,
    ],
    [
      'what --force replaced comes back',
      `${CLIENTS}/edit/json-take-out.ts`,
      'if (trace.replaced !== undefined)',
      'if (trace.replaced === null)',
      `${TESTS}/forced.test.ts`,
    ],
    [
      'a folder says nothing to a shell by its name',
      'src/adapters/project/identity.ts',
      ".replace(UNFIT, '-')",
      ".replace('', '-')",
      'src/adapters/project/identity.test.ts',
    ],
    [
      'no link is followed in a project',
      `${CLIENTS}/files/guarded-file.ts`,
      'if (found?.isSymbolicLink())',
      'if (found?.isSymbolicLink() === undefined)',
      `${TESTS}/strangers.test.ts`,
    ],
    [
      'no hard link is cut',
      `${CLIENTS}/files/guarded-file.ts`,
      'found.nlink > 1',
      'found.nlink > 9',
      `${TESTS}/strangers.test.ts`,
    ],
    [
      'no TOML is written in which the entry does not stand, or anything else has another value',
      `${CLIENTS}/edit/toml-edit.ts`,
      'if (!isThere || !differsOnlyAt(at, text, edited))',
      'if (value === undefined)',
      `${TESTS}/forced.test.ts`,
    ],
    [
      'nothing of a project is started that elfmem did not write',
      `${CLIENTS}/configured.ts`,
      "isOurs || place === 'user'",
      'isOurs || place !== undefined',
      `${TESTS}/doctor.slow.test.ts`,
    ],
    [
      'a file is whole at each instant',
      `${CLIENTS}/files/guarded-file.ts`,
      'renameSync(part, target)',
      'writeFileSync(target, ""), renameSync(part, target)',
      `${TESTS}/killed.slow.test.ts`,
    ],
  ),
  ...ofGuarantee(
    'One project does not see another',
    [
      'a server keeps to its project',
      'src/surfaces/hooks/hooks-scope.ts',
      'return projectIdentity({ cwd, home }).scope',
      'return undefined',
      `${TESTS}/project-scope.test.ts`,
    ],
    [
      'an entry names the project where a client does not start in it',
      `${CLIENTS}/launch.ts`,
      "if (client.startsInProject) return ['--project-scope']",
      "return ['--project-scope']",
      `${TESTS}/entries.test.ts`,
    ],
  ),
]

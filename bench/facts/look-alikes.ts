/** A fact among others that look alike, and the question that names it. */
interface LookAlike {
  readonly fact: string
  readonly question: string
}

interface LookAlikeSet {
  readonly name: string
  readonly facts: readonly LookAlike[]
}

type Row = readonly [named: string, value: string]

function setOf(name: string, rows: readonly Row[], say: (row: Row) => LookAlike): LookAlikeSet {
  return { name, facts: rows.map(say) }
}

/** Facts that differ in a name and a value alone. Made up; no text of them is used elsewhere. */
export const LOOK_ALIKES: readonly LookAlikeSet[] = [
  setOf(
    'servers and ports',
    [
      ['staging', '5310'],
      ['production', '5311'],
      ['preview', '5312'],
      ['canary', '5313'],
      ['sandbox', '5314'],
    ],
    ([server, port]) => ({
      fact: `The ${server} server of Orion listens on port ${port}.`,
      question: `Which port does the ${server} server listen on?`,
    }),
  ),
  setOf(
    'releases and dates',
    [
      ['1.0', '11 March'],
      ['2.0', '19 May'],
      ['3.0', '2 July'],
      ['4.0', '30 August'],
      ['5.0', '14 October'],
      ['6.0', '6 December'],
    ],
    ([release, day]) => ({
      fact: `Release ${release} of Orion shipped on ${day}.`,
      question: `When did release ${release} ship?`,
    }),
  ),
  setOf(
    'builds and minutes',
    [
      ['7301', '12'],
      ['7302', '14'],
      ['7303', '9'],
      ['7304', '21'],
      ['7305', '17'],
    ],
    ([build, minutes]) => ({
      fact: `Build ${build} took ${minutes} minutes.`,
      question: `How long did build ${build} take?`,
    }),
  ),
  setOf(
    'people and rooms',
    [
      ['Mira Holt', '204'],
      ['Jonas Holt', '311'],
      ['Mira Voss', '118'],
      ['Petra Lang', '220'],
      ['Jonas Lang', '407'],
    ],
    ([person, room]) => ({
      fact: `${person} sits in room ${room}.`,
      question: `In which room does ${person} sit?`,
    }),
  ),
  setOf(
    'options and meanings',
    [
      ['-a', 'all files'],
      ['-d', 'folders alone'],
      ['-D', 'deleted files'],
      ['-l', 'long lines'],
      ['-r', 'the reverse order'],
    ],
    ([option, meaning]) => ({
      fact: `The option ${option} of the orion command lists ${meaning}.`,
      question: `What does the option ${option} of the orion command do?`,
    }),
  ),
  setOf(
    'teams and leads',
    [
      ['search', 'Aylin'],
      ['billing', 'Bruno'],
      ['mobile', 'Carla'],
      ['platform', 'Deniz'],
      ['support', 'Emil'],
    ],
    ([team, lead]) => ({ fact: `${lead} leads the ${team} team.`, question: `Who leads the ${team} team?` }),
  ),
  setOf(
    'keys and limits',
    [
      ['reader', '60'],
      ['writer', '20'],
      ['admin', '200'],
      ['partner', '500'],
      ['trial', '5'],
    ],
    ([key, limit]) => ({
      fact: `The ${key} key allows ${limit} requests a minute.`,
      question: `How many requests does the ${key} key allow?`,
    }),
  ),
  setOf(
    'versions and their end',
    [
      ['16', 'April 2031'],
      ['18', 'May 2032'],
      ['20', 'April 2033'],
      ['22', 'June 2034'],
      ['24', 'April 2035'],
      ['26', 'May 2036'],
    ],
    ([version, end]) => ({
      fact: `Version ${version} of the runtime is supported until ${end}.`,
      question: `Until when is version ${version} supported?`,
    }),
  ),
]

import { stemmer } from '@orama/stemmers/german'
import type { LanguageData } from '../pack.ts'

export const GERMAN: LanguageData = {
  id: 'german-1',
  stem: stemmer,
  stopWords:
    'ab aber als also am an auch auf aus bei bin bis bist da damit dann das dass dein deine dem den der des die dich dir doch du ' +
    'durch ein eine einem einen einer eines er es euch euer für gegen hab habe haben hat hatte hatten ich ihm ihn ihnen ihr ' +
    'ihre im in ins ist ja kann kein keine konnte man mein meine meinem meinen meiner mich mir mit muss nach nicht noch nun nur ' +
    'ob oder ohne sehr sein seine sich sie sind so über um und uns unser unsere vom von vor war waren was weil welche welchem ' +
    'welchen welcher welches wem wen wenn wer werden wie wir wird wo worden wurde wurden zu zum zur',
  months: 'januar februar märz april mai juni juli august september oktober november dezember',
  timeWords:
    'gestern vorgestern heute morgen übermorgen letzte letzten letzter letztes nächste nächsten nächster nächstes seit neulich ' +
    'kürzlich montag dienstag mittwoch donnerstag freitag samstag sonntag wochenende tage tagen woche wochen monat monate monaten ' +
    'jahr jahre jahren',
  whenStarts: ['wann', 'seit wann', 'bis wann', 'ab wann', 'wie lange'],
  whenPhrases: [
    'an welchem tag',
    'in welchem monat',
    'in welchem jahr',
    'in welcher woche',
    'um wie viel uhr',
    'um wieviel uhr',
    'zu welcher zeit',
    'welches datum',
    'wie viele tage',
    'wie viele wochen',
    'wie viele monate',
    'wie viele jahre',
  ],
  and: 'und',
  both: 'beide beiden',
}

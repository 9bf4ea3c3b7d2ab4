/** The marks around lines that both sides changed, as git makes them and editors know them. */
export const MARKS = ['<<<<<<< Yours', '=======', ">>>>>>> The agent's"] as const;

/** A mark of ours is still there: the human has not decided everywhere. */
export const hasMarks = (text: string): boolean =>
  text.split(/\r?\n/).some((line) => line === MARKS[0] || line === MARKS[2]);

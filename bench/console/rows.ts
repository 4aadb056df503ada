/** The first column of this bench's rows. */
export const bench = "console";

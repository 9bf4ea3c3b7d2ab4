/** The text of a new playbook. It leaves one file behind, `holdfast-example.md`. */
export const EXAMPLE = `# A playbook drives a run step by step; it needs no model. Run it with the button above, or "Holdfast: Run Playbook".
goal: Write a note together
steps:
  - title: See what is here
    tool: list_files
    with: { path: . }

  - title: Begin the note
    tool: write_file
    with:
      path: holdfast-example.md
      content: |
        # Shopping

        - bread
        - milk

  # The run pauses here. Change a line of holdfast-example.md, save it, press Resume: your line stays.
  - title: Add two lines, after you have changed one yourself
    tool: edit_file
    with:
      path: holdfast-example.md
      old_text: "# Shopping\\n"
      new_text: "# Shopping\\n\\nFor the weekend:\\n"
    pauseBefore: true

  - title: Read it again
    tool: read_file
    with: { path: holdfast-example.md }
`;

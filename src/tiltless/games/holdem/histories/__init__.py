"""Hand histories in files: PHH, lines of text, and the texts of poker rooms.

::

    files        read_hands(path): the records of a file, one by one
    rooms        a hand as a poker room writes it
    room_forms   the forms of the lines of each room
    phh_fields   seats, stacks and blinds of PHH, and the game that they make
    phh_replay   the actions of PHH, replayed
"""

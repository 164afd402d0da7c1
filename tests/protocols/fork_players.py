"""Players of a fork of PyPokerEngine that carries its own copy of the base class."""


class ForkBase:
    """A copy of BasePokerPlayer, as forks carry it."""

    def declare_action(self, valid_actions, hole_card, round_state):
        raise NotImplementedError

    def receive_game_start_message(self, game_info):
        self.game_info = game_info

    def receive_round_start_message(self, round_count, hole_card, seats): ...

    def receive_street_start_message(self, street, round_state): ...

    def receive_game_update_message(self, action, round_state): ...

    def receive_round_result_message(self, winners, hand_info, round_state): ...

    def set_uuid(self, uuid):
        self.uuid = uuid


class ForkFish(ForkBase):
    def declare_action(self, valid_actions, hole_card, round_state):
        assert self.game_info["player_num"] == 2
        return "call", valid_actions[1]["amount"]
